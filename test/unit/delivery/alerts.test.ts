import { expect, it, onTestFinished } from 'vitest';
import { requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { advancing } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { deliveryRig, receiver, toggle } from './deliveryRig.ts';

const ALERTS = ['endpoint.failing', 'endpoint.recovered', 'endpoint.disabled'];

/** An endpoint that is watched by another one, and by one that has a wildcard only. Its attempts fail until the test says otherwise. */
const started = async () => {
  const clock = new ManualClock();
  let ticking: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(ticking));
  const [rig, to] = [await deliveryRig({ clock }), await receiver()];
  // The node needs time to stop.
  onTestFinished(() => {
    ticking = setInterval(() => void clock.advance(100), 5);
  });
  to.answerStatus('/ill', 500);
  const endpointId = await rig.endpoint(to.url('/ill'), ['stream.ready', ...ALERTS]);
  await rig.endpoint(to.url('/alerts'), ALERTS, OWNER, { payload: 'slim' });
  await rig.endpoint(to.url('/wildcard'), ['*']);
  rig.node({ clock, baseMilliseconds: 1_000, windowMilliseconds: 3_600_000 });
  /** Lets time pass until something is so. */
  const until = (isSo: () => boolean, step = 1_000) =>
    advancing(async () => {
      await clock.advance(step);
      return isSo();
    }, 15_000);
  const alerts = () => to.at('/alerts').map(({ event }) => event);
  return { clock, rig, to, endpointId, until, alerts };
};

it('tells an owner who asked that an endpoint has failed five times in a row over a minute, and once that it works again', async () => {
  const { rig, to, endpointId, until, alerts } = await started();
  await rig.stream();
  await until(() => alerts().length > 0);
  const [failing] = alerts();
  expect(failing).toMatchObject({
    type: 'endpoint.failing',
    payloadSchema: 'tributary.events.v1.EndpointHealthEvent',
    payload: { endpointId, url: to.url('/ill'), state: 'failing', reason: 'status 500', lastSuccess: null, subject: OWNER },
  });
  expect(failing.payload.failures).toBeGreaterThanOrEqual(5);
  const failures = (await rig.attempts()).filter(({ endpointId: id }) => id === endpointId);
  expect(failing.payload.since).toBe(failures[0]?.at);
  const last = failures[failing.payload.failures - 1];
  expect(Date.parse(last?.at ?? '') - Date.parse(failing.payload.since)).toBeGreaterThanOrEqual(60_000);

  to.answerStatus('/ill', 204);
  await until(() => alerts().length > 1);
  expect(alerts()[1]).toMatchObject({ type: 'endpoint.recovered', payload: { endpointId, state: 'healthy', reason: null, failures: 0 } });
  expect(alerts()[1].payload.lastSuccess).toBe(alerts()[1].payload.since);
  await rig.stream();
  await until(() => to.types('/wildcard').filter((type) => type === 'stream.ready').length === 2);
  expect(alerts()).toHaveLength(2);
  for (const path of ['/ill', '/wildcard']) expect(to.types(path).filter((type) => type.startsWith('endpoint.'))).toEqual([]);
});

it('reports no failed tests, and no endpoint that its owner switches off', async () => {
  const { rig, to, endpointId, until, alerts } = await started();
  for (let n = 1; n <= 6; n += 1) {
    await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } }, rig.by(OWNER));
    await until(() => to.types('/ill').length === n, 20_000);
  }
  await toggle(rig, endpointId, false);
  await rig.stream();
  await until(() => to.types('/wildcard').includes('stream.ready'));
  expect(alerts()).toEqual([]);
});

it('reports an endpoint that the server disables after a 410', async () => {
  const { rig, to, endpointId, until, alerts } = await started();
  to.answerStatus('/ill', 410);
  await rig.stream();
  await until(() => alerts().length > 0);
  expect(alerts()[0]).toMatchObject({
    type: 'endpoint.disabled',
    payload: { endpointId, state: 'disabled', reason: 'The receiver answered 410 Gone.', failures: 1, lastSuccess: null },
  });
});

it('recovers alerts that an endpoint has missed', async () => {
  const { rig, to, until, alerts } = await started();
  to.answerStatus('/ill', 410);
  await rig.stream();
  await until(() => alerts().length > 0);
  const late = await rig.endpoint(to.url('/late'), ALERTS);
  await requestDelivery(
    rig,
    { type: 'RecoveryRequested', data: { endpointId: late, since: '2020-01-01T00:00:00.000Z', after: null } },
    rig.by(OWNER),
  );
  await until(() => to.at('/late').length > 0);
  expect(to.at('/late')[0]?.event.id).toBe(alerts()[0].id);
});
