import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type CarriedDelivery, carryFacts, carryUser } from '../../../src/delivery/facts/carry.ts';
import { FactWriter } from '../../../src/delivery/facts/factWriter.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { deliveryRig } from './deliveryRig.ts';

const ENDPOINTS = 30_000;
const AT = '2026-01-01T00:00:00.000Z';
const signal = new AbortController().signal;

const open = async () => {
  const deps = { ...(await deliveryRig()), logger: silentLogger };
  return { deps, writer: () => FactWriter.open(deps, { subject: OWNER, checkpoint: null }, () => undefined, signal) };
};

const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

test('carries more endpoints than one append can name', async () => {
  const { writer } = await open();
  const first = await writer();
  for (const id of ids(ENDPOINTS)) {
    first.state.sequences.set(id, 4);
    first.state.failing.set(id, AT);
  }
  await carryFacts(first);
  const { state } = await writer();
  expect([state.sequences.size, state.failing.size]).toEqual([ENDPOINTS, ENDPOINTS]);
});

test('carries a user with many endpoints and pending deliveries to another store, once', async () => {
  const { deps, writer } = await open();
  const [endpointId = ''] = ids(1);
  const pending = ids(4_000).map((deliveryId, n): CarriedDelivery => {
    const source = { sourceEventId: 's', sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: '1' };
    const delivery = { deliveryId, endpointId, eventId: 'e', type: 'stream.ready', sequence: n + 1, dynamicStreamId: null, url: null };
    return { renderer: 2, once: false, delivery: { ...delivery, ...source, attempts: 0 } };
  });
  const sequences = Object.fromEntries(ids(ENDPOINTS).map((id) => [id, 4]));
  const user = { subject: OWNER, lastSourcePosition: '1', sequences, failing: {}, pending };
  const move = { id: randomUUID(), position: '5' as Position, windowMilliseconds: 60_000 };
  await carryUser(deps, user, move, signal);
  const { state } = await writer();
  expect([state.pending.size, state.sequences.size, state.lastRequestPosition]).toEqual([4_000, ENDPOINTS + 1, '5']);
  const count = (await deps.facts()).length;
  await carryUser(deps, user, move, signal);
  expect(await deps.facts()).toHaveLength(count);
});

const withUrls = (count: number, length: number): CarriedDelivery[] =>
  ids(count).map((deliveryId, n) => {
    const source = { sourceEventId: randomUUID(), sourceEventStream: `stream-${randomUUID()}`, sourceRevision: '0', sourcePosition: '1' };
    const url = `https://receiver.example/${'a'.repeat(length - 25)}`;
    const dynamic = {
      endpointId: randomUUID(),
      eventId: randomUUID(),
      type: 'stream.ready',
      sequence: n + 1,
      dynamicStreamId: randomUUID(),
      url,
    };
    return { renderer: 2, once: false, delivery: { deliveryId, ...dynamic, ...source, attempts: 0 } };
  });

const moved = (pending: readonly CarriedDelivery[]) => ({ subject: OWNER, lastSourcePosition: '1', sequences: {}, failing: {}, pending });
const MOVE = { id: randomUUID(), position: '5' as Position, windowMilliseconds: 60_000 };

test('carries all pending deliveries with the longest URLs', async () => {
  const { deps, writer } = await open();
  await carryUser(deps, moved(withUrls(1_000, 2_048)), MOVE, signal);
  const { state } = await writer();
  expect([state.pending.size, state.lastRequestPosition]).toEqual([1_000, '5']);
});

test('rejects if the log cannot take a delivery, so that a move does not lose it', async () => {
  const { deps } = await open();
  await expect(carryUser(deps, moved(withUrls(1, 2_000_000)), MOVE, signal)).rejects.toThrow('too large for one append');
});
