import { expect, it } from 'vitest';
import { requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { answers, deliveryRig, receiver } from './deliveryRig.ts';

it("sends an endpoint's own headers with every attempt, as they are by then, and its own traceparent", async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const headers = {
    Authorization: 'Bearer one',
    'X-Tenant': 'a b',
    Traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
  };
  const endpointId = await rig.endpoint(to.url('/'), ['stream.ready'], OWNER, { headers });
  rig.node();
  await rig.stream();
  await eventually(() => to.received.length === 1);
  expect(to.received[0]?.headers).toMatchObject({
    authorization: 'Bearer one',
    'x-tenant': 'a b',
    traceparent: headers.Traceparent,
    'content-type': 'application/json',
    'webhook-attempt': '1',
  });
  await rig.endpoint(to.url('/'), ['stream.ready'], OWNER, { endpointId, headers: { Authorization: 'Bearer two', 'X-Tenant': '***' } });
  await rig.stream();
  await eventually(() => to.received.length === 2);
  expect(to.received[1]?.headers).toMatchObject({ authorization: 'Bearer two', 'x-tenant': 'a b' });
});

it('sends only events that pass the filter, to slim endpoints too, and numbers them without gaps', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const filter = { 'payload.stream.name': { prefix: 'call-' }, 'payload.stream.labels': 'sales' };
  await rig.endpoint(to.url('/full'), ['stream.ready'], OWNER, { filter });
  await rig.endpoint(to.url('/slim'), ['stream.ready'], OWNER, { filter, payload: 'slim' });
  await rig.endpoint(to.url('/all'), ['stream.ready']);
  rig.node();
  for (const [name, labels] of [
    ['call-1', ['sales']],
    ['mail-2', ['sales']],
    ['call-3', ['other']],
    ['call-4', ['x', 'sales']],
  ] as const)
    await rig.stream([], OWNER, { name, labels: [...labels] });
  await eventually(() => to.at('/all').length === 4 && to.at('/full').length === 2 && to.at('/slim').length === 2);
  const full = to.at('/full').sort((a, b) => Number(a.headers['webhook-sequence']) - Number(b.headers['webhook-sequence']));
  expect(full.map(({ event }) => [event.payload.stream.name, event.payload.stream.labels])).toEqual([
    ['call-1', ['sales']],
    ['call-4', ['x', 'sales']],
  ]);
  for (const path of ['/full', '/slim'])
    expect(
      to
        .at(path)
        .map(({ headers }) => headers['webhook-sequence'])
        .sort(),
    ).toEqual(['1', '2']);
});

it('recovers only events that pass the present filter', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  await rig.stream([], OWNER, { name: 'call-1' });
  await rig.stream([], OWNER, { name: 'mail-2' });
  const endpointId = await rig.endpoint(to.url('/'), ['stream.ready'], OWNER, { filter: { 'payload.stream.name': { prefix: 'call-' } } });
  rig.node();
  await requestDelivery(
    rig,
    { type: 'RecoveryRequested', data: { endpointId, since: '2020-01-01T00:00:00.000Z', after: null } },
    rig.by(OWNER),
  );
  expect(await answers(rig, 1)).toMatchObject([{ scheduled: 1 }]);
  await eventually(() => to.received.length === 1);
  expect(to.received[0]?.event.payload.stream.name).toBe('call-1');
});

it("gives each delivery the deadline of its endpoint's own retry window, in one append", async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  await rig.endpoint(to.url('/day'), ['stream.ready'], OWNER, { retryWindow: 86_400 });
  await rig.endpoint(to.url('/default'), ['stream.ready']);
  rig.node({ windowMilliseconds: 10_000 });
  await rig.stream();
  await rig.attempted(2);
  const scheduled = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesScheduled' ? [fact] : []));
  const seconds = scheduled.map(({ data, metadata }) => Math.round((Date.parse(data.deadline) - Date.parse(metadata.time)) / 1_000));
  expect(seconds.sort((a, b) => a - b)).toEqual([10, 86_400]);
  expect(new Set(scheduled.map(({ metadata }) => metadata.time)).size).toBe(1);
});
