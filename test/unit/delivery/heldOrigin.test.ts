import { expect, it, onTestFinished } from 'vitest';
import { requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { advancing, eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { deliveryRig, receiver } from './deliveryRig.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';
const HOUR = 3_600_000;
const [HOLD_FAILURES, AT_ONCE] = [5, 10];
/** Until the fifth has failed, each that has failed makes room for another. */
const MOST_BEFORE_HOLD = AT_ONCE + HOLD_FAILURES - 1;

/** A node, and a user with an endpoint. Time stands still unless the test advances it. */
const started = async () => {
  const clock = new ManualClock();
  let ticking: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(ticking));
  const [rig, to] = [await deliveryRig({ clock }), await receiver()];
  // The node needs time to stop.
  onTestFinished(() => {
    ticking = setInterval(() => void clock.advance(100), 5);
  });
  const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
  // Retries are due at once.
  rig.node({ clock, baseMilliseconds: 1, windowMilliseconds: HOUR });
  const { received } = to;
  const tick = async () => {
    await clock.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  /** Resolves when this many requests have come, and no further ones do. Facts are written in batches, and read models follow. */
  const got = async (least: number): Promise<number> => {
    await advancing(async () => {
      await tick();
      return received.length >= least;
    }, 10_000);
    for (let before = -1; before < received.length; ) {
      before = received.length;
      for (let n = 0; n < 30; n += 1) await tick();
    }
    return received.length;
  };
  /** Lets events fail until the origin is held. Returns how many requests have come. */
  const hold = async (): Promise<number> => {
    to.answerStatus('/', 500);
    const before = received.length;
    for (let n = 0; n < 15; n += 1) await rig.stream();
    const now = await got(before + HOLD_FAILURES);
    expect(now).toBeLessThanOrEqual(before + MOST_BEFORE_HOLD);
    return now;
  };
  const ask = (event: Parameters<typeof requestDelivery>[1]) => requestDelivery(rig, event, rig.by(OWNER));
  const ping = () => ask({ type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } });
  return { clock, rig, to, got, hold, ask, ping, endpointId };
};

it('sends one attempt in 30 s to an origin after five failures in a row, retries included', async () => {
  const { clock, got, hold } = await started();
  const before = await hold();
  for (let n = 1; n <= 3; n += 1) {
    await clock.advance(30_000);
    expect(await got(before + n)).toBe(before + n);
  }
});

it('sends a test at once to an origin that is held, and everything after its first 2xx', async () => {
  const { to, got, hold, ping } = await started();
  const before = await hold();
  for (let n = 1; n <= 6; n += 1) {
    await ping();
    expect(await got(before + n)).toBe(before + n);
  }
  to.answerStatus('/', 204);
  await ping();
  expect(await got(before + 6 + 1 + 15)).toBe(before + 6 + 1 + 15);
});

it('resends a delivery at once to an origin that is held', async () => {
  const { rig, to, got, hold, ask, endpointId } = await started();
  await rig.stream();
  await got(1);
  const [delivered] = await rig.attempts();
  const before = await hold();
  await ask({ type: 'ResendRequested', data: { endpointId, deliveryId: delivered?.deliveryId ?? '' } });
  expect(await got(before + 1)).toBe(before + 1);
  expect(to.received.at(-1)?.headers['webhook-id']).toBe(to.received[0]?.headers['webhook-id']);
});

it('sends a pending delivery at once to an origin that is held if a person asks, and continues its retries', async () => {
  const { rig, to, clock, got, hold, ask, endpointId } = await started();
  const before = await hold();
  const pending = (await rig.attempts()).find(({ nextAt }) => nextAt !== null);
  const sendNow = () => ask({ type: 'SendNowRequested', data: { endpointId, deliveryId: pending?.deliveryId ?? '' } });
  await sendNow();
  expect(await got(before + 1)).toBe(before + 1);
  const last = (await rig.attempts()).at(-1);
  expect(last).toMatchObject({ deliveryId: pending?.deliveryId, attempt: 2, outcome: 'failed', nextAt: expect.any(String) });
  to.answerStatus('/', 204);
  await clock.advance(30_000);
  const all = await got(before + 1 + 15);
  await sendNow();
  await eventually(
    async () => (await rig.facts()).some((fact) => fact.type === 'DeliveriesRecovered' && fact.data.refused === 'ended'),
    10_000,
  );
  expect(await got(all)).toBe(all);
});

it('recovers at once to an origin that is held, ten at a time, until five of the recovery have failed', async () => {
  const { rig, to, got, hold, ask } = await started();
  const before = await hold();
  const other = await rig.endpoint(to.url('/other'), ['stream.ready']);
  to.answerStatus('/other', 500);
  await ask({ type: 'RecoveryRequested', data: { endpointId: other, since: LONG_AGO, after: null } });
  const after = await got(before + AT_ONCE);
  expect(after).toBeLessThanOrEqual(before + MOST_BEFORE_HOLD);
  expect(to.at('/other')).toHaveLength(after - before);
});
