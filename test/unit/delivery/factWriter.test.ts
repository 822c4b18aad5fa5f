import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Decision, FactWriter } from '../../../src/delivery/facts/factWriter.ts';
import type { DeliveryEvent, RecordedAttempt } from '../../../src/domain/delivery/events.ts';
import { type Logger, silentLogger } from '../../../src/logger.ts';
import { AppendTooLarge, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { deliveryRig } from './deliveryRig.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** Schedules a delivery with this id for the n-th event, to a URL of this many characters. */
const scheduled = (deliveryId: string, n: number, characters = 10): DeliveryEvent => ({
  type: 'DeliveriesScheduled',
  data: {
    ...{ sourceEventId: `event-${n}`, sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: String(n).padStart(20, '0') },
    ...{ renderer: 2, deadline: '2100-01-01T00:00:00.000Z' },
    deliveries: [
      {
        ...{ deliveryId, endpointId: 'endpoint', eventId: `event-${n}`, type: 'stream.ready', sequence: n },
        ...{ dynamicStreamId: 'a', url: 'u'.repeat(characters) },
      },
    ],
  },
});

const attempt = (deliveryId: string): RecordedAttempt => ({
  ...{ deliveryId, endpointId: 'endpoint', sourceEventId: 'event', attempt: 1, at: AT, status: 500, milliseconds: 1 },
  ...{ outcome: 'failed', reason: 'status 500', nextAt: AT, response: null },
});

const open = async () => {
  const errors: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (_, message) => void errors.push(message),
    warn: (_, message) => void errors.push(message),
  };
  const deps = { ...(await deliveryRig()), logger };
  const signal = AbortSignal.timeout(20_000);
  const fresh = () => FactWriter.open(deps, { subject: OWNER, checkpoint: null }, () => undefined, signal);
  return { errors, fresh, writer: await fresh() };
};

/** A decision that schedules one delivery, once. */
const once =
  (deliveryId: string, n: number, characters: number): Decision =>
  ({ lastSourcePosition }) => {
    const fact = scheduled(deliveryId, n, characters);
    return fact.type === 'DeliveriesScheduled' && fact.data.sourcePosition > lastSourcePosition ? [fact] : [];
  };

test('divides facts that the log refuses as too large together', async () => {
  const { errors, fresh, writer } = await open();
  const ids = Array.from({ length: 10 }, () => randomUUID());
  await writer.decide(once(ids[0] ?? '', 1, 10));
  // The estimate takes control characters for one byte each. In JSON, each takes six.
  const wide = (n: number): Decision => {
    const decide = once(ids[n] ?? '', n + 1, 0);
    return (state) =>
      decide(state).map((fact) => ({
        ...fact,
        data: {
          ...fact.data,
          deliveries: [{ ...(fact.type === 'DeliveriesScheduled' && fact.data.deliveries[0]), url: '\u0001'.repeat(45_000) }],
        },
      })) as DeliveryEvent[];
  };
  const written = await Promise.all([writer.record(attempt(ids[0] ?? '')), ...ids.slice(1).map((_, n) => writer.decide(wide(n + 1)))]);
  expect(new Set(written)).toEqual(new Set(['durable']));
  const { state } = await fresh();
  expect([...state.pending.keys()]).toEqual(ids);
  expect(state.pending.get(ids[0] ?? '')?.attempts).toBe(1);
  expect(errors).toEqual([]);
});

test('drops facts that are too large by themselves, says so, and writes what follows', async () => {
  const { errors, fresh, writer } = await open();
  const written = await Promise.all([
    writer.decide(once('first', 1, 10)),
    writer.decide(once('large', 2, 1_100_000)),
    writer.decide(once('last', 3, 10)),
  ]);
  expect(written).toEqual(['durable', 'dropped', 'durable']);
  expect(errors).toEqual(['delivery facts are too large for the log; dropped']);
  expect([...writer.state.pending.keys()]).toEqual(['first', 'last']);
  expect([...(await fresh()).state.pending.keys()]).toEqual(['first', 'last']);
});

test('records an attempt once if the answer to its append was lost, and the next append is too large', async () => {
  const rig = await deliveryRig();
  let appends = 0;
  const log: typeof rig.log = {
    ...rig.log,
    append: async (...args) => {
      appends += 1;
      if (appends === 3) throw new AppendTooLarge(2_000_000);
      const appended = await rig.log.append(...args);
      if (appends === 2) throw new StoreUnavailable('the answer was lost');
      return appended;
    },
  };
  const deps = { ...rig, log, logger: silentLogger };
  const writer = await FactWriter.open(deps, { subject: OWNER, checkpoint: null }, () => undefined, AbortSignal.timeout(20_000));
  await writer.decide(once('a', 1, 10));
  const written = [writer.record(attempt('a')), writer.record(attempt('b'))];
  while (appends < 2) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...written, writer.decide(once('c', 2, 10))]);
  const recorded = (await rig.facts()).flatMap((fact) => (fact.type === 'AttemptsRecorded' ? fact.data.attempts : []));
  expect(recorded.map(({ deliveryId }) => deliveryId)).toEqual(['a', 'b']);
});
