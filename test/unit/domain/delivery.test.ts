import { describe, expect, it } from 'vitest';
import type { DeliveryEvent, RecordedAttempt } from '../../../src/domain/delivery/events.ts';
import { type DeliveryCheckpoint, PendingDeliveries } from '../../../src/domain/delivery/state.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T00:01:00.000Z';
const DEADLINE = '2026-01-01T03:00:00.000Z';

const SOURCE = { sourceEventId: 's', sourceEventStream: 'stream-a', sourceRevision: '0' };

const delivery = (deliveryId: string, endpointId: string, sequence: number | null) => ({
  ...{ deliveryId, endpointId, eventId: 'e', type: 'stream.ready', sequence },
  ...{ dynamicStreamId: null, url: null },
});

const scheduled = (sourcePosition: string, ...deliveries: ReturnType<typeof delivery>[]): DeliveryEvent => ({
  type: 'DeliveriesScheduled',
  data: { ...SOURCE, sourcePosition, renderer: 2, deadline: DEADLINE, deliveries },
});

const resent = (requestPosition: string, attempts: number, one: ReturnType<typeof delivery>): DeliveryEvent => ({
  type: 'DeliveriesRecovered',
  data: {
    ...{ requestEventId: 'r', requestPosition, renderer: 2, deadline: DEADLINE, once: true, scheduled: 1, last: true, refused: null },
    deliveries: [{ ...one, ...SOURCE, sourcePosition: '1', attempts }],
  },
});

const attempted = (deliveryId: string, change: Partial<RecordedAttempt> = {}): DeliveryEvent => ({
  type: 'AttemptsRecorded',
  data: {
    attempts: [
      {
        ...{ deliveryId, endpointId: 'e1', sourceEventId: 's', attempt: 1, at: AT, status: 500, milliseconds: 1 },
        ...{ outcome: 'failed', reason: 'status 500', nextAt: LATER, response: null, endpointFails: true },
        ...change,
      },
    ],
  },
});

const folded = (facts: readonly DeliveryEvent[], checkpoint: DeliveryCheckpoint | null = null, from = 0): PendingDeliveries => {
  const state = new PendingDeliveries(checkpoint);
  for (const [n, fact] of facts.entries()) if (n >= from) state.evolve(fact, BigInt(n), AT);
  return state;
};

const ONE = scheduled('1', delivery('d1', 'e1', 1));

describe('the deliveries of a user', () => {
  it('are pending from their scheduling to an attempt without a next one', () => {
    expect(folded([ONE]).pending.get('d1')).toMatchObject({ attempts: 0, tries: 0, nextAt: Date.parse(AT) });
    expect(folded([ONE, attempted('d1')]).pending.get('d1')).toMatchObject({ attempts: 1, tries: 1, nextAt: Date.parse(LATER) });
    expect(folded([ONE, attempted('d1', { outcome: 'exhausted', nextAt: null })]).pending.size).toBe(0);
  });

  it('leave nothing behind when they fail after their endpoint was forgotten', () => {
    const state = folded([ONE]);
    state.dropEndpoints(['e1']);
    state.evolve(attempted('d1'), 1n, AT);
    expect([state.sequences.size, state.failing.size]).toEqual([0, 0]);
    expect(folded([ONE, attempted('d1')]).failing.size).toBe(1);
  });

  it('are folded from a checkpoint with any number of endpoints', () => {
    for (const count of [3, 3_000]) {
      const state = folded([]);
      for (let n = 0; n < count; n += 1) state.evolve(scheduled('1', delivery(`d${n}`, `e${n}`, n + 1)), BigInt(n), AT);
      const checkpoint = JSON.parse(JSON.stringify(state.checkpoint(BigInt(count))));
      const resumed = new PendingDeliveries(checkpoint);
      expect(resumed.sequences).toEqual(state.sequences);
    }
  });

  it('end when they are stopped, and a running attempt does not bring them back', () => {
    const stopped: DeliveryEvent = {
      type: 'DeliveriesStopped',
      data: { endpointId: 'e1', reason: 'endpoint disabled', deliveryIds: ['d1'] },
    };
    const state = folded([ONE, stopped, attempted('d1')]);
    expect(state.pending.size).toBe(0);
    expect(state.ofEndpoint('e1')).toEqual([]);
  });

  it('count their attempts across resends, and their tries from the last one', () => {
    const facts = [ONE, attempted('d1', { outcome: 'exhausted', nextAt: null }), resent('2', 1, delivery('d1', 'e1', 1))];
    expect(folded(facts).pending.get('d1')).toMatchObject({ attempts: 1, tries: 0 });
    expect(folded(facts)).toMatchObject({ lastSourcePosition: '1', lastRequestPosition: '2' });
  });

  it('are the same when the fold starts at a checkpoint', () => {
    const facts = [ONE, attempted('d1'), scheduled('2', delivery('d2', 'e2', 1)), attempted('d1', { attempt: 2, at: LATER })];
    for (let end = 1; end <= facts.length; end += 1) {
      const checkpoint = folded(facts.slice(0, end)).checkpoint(BigInt(end - 1));
      const resumed = folded(facts, checkpoint, Number(checkpoint.foldFrom));
      expect(resumed.checkpoint(3n)).toEqual(folded(facts).checkpoint(3n));
      expect([...resumed.pending.values()]).toEqual([...folded(facts).pending.values()]);
    }
  });
});

describe('a series of failures of an endpoint', () => {
  const failingSince = (...facts: DeliveryEvent[]) => folded([ONE, ...facts]).failing.get('e1');

  it('lasts from its first failure to its next success', () => {
    expect(failingSince()).toBeUndefined();
    expect(failingSince(attempted('d1'), attempted('d1', { attempt: 2, at: LATER }))).toBe(AT);
    expect(failingSince(attempted('d1'), attempted('d1', { outcome: 'delivered', nextAt: null, endpointFails: false }))).toBeUndefined();
  });

  it('includes only attempts that are recorded as failures of the endpoint', () => {
    expect(failingSince(attempted('d1', { outcome: 'refused', nextAt: null, endpointFails: false }))).toBeUndefined();
    expect(failingSince(attempted('d1', { outcome: 'refused', nextAt: null }))).toBe(AT);
  });

  it('ends with a success of a resend, whose failure does not begin one', () => {
    const ended = attempted('d1', { outcome: 'exhausted', nextAt: null });
    const resend = resent('2', 1, delivery('d1', 'e1', 1));
    const second = { attempt: 2, nextAt: null, endpointFails: false };
    expect(failingSince(ended, resend, attempted('d1', { ...second, outcome: 'delivered' }))).toBeUndefined();
    expect(folded([resend, attempted('d1', second)]).failing.size).toBe(0);
  });

  it('is read from older facts, which do not say whether an attempt counts: all but those that a person asked for', () => {
    const older = ({ endpointFails: _, ...attempt }: RecordedAttempt): RecordedAttempt => attempt;
    const asOlder = (fact: DeliveryEvent): DeliveryEvent =>
      fact.type === 'AttemptsRecorded' ? { ...fact, data: { attempts: fact.data.attempts.map(older) } } : fact;
    expect(failingSince(asOlder(attempted('d1')))).toBe(AT);
    expect(folded([resent('2', 1, delivery('d1', 'e1', 1)), asOlder(attempted('d1', { nextAt: null }))]).failing.size).toBe(0);
  });

  it('begins again after its endpoint was enabled', () => {
    const state = folded([ONE, attempted('d1')]);
    state.restartFailing('e1', LATER);
    expect(state.failing.get('e1')).toBe(LATER);
  });
});
