import { expect, test } from 'vitest';
import { freeingSlots } from '../../../src/commands/slots/freedAtEnd.ts';
import { SingleNodeSlots } from '../../../src/commands/slots/singleNodeSlots.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import type { DomainEvent, StreamHead } from '../../../src/stores/log/eventLog.ts';
import { MemoryDocuments } from '../../fakes/memoryDocuments.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { openedLog } from './openedLog.ts';

const STREAM = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const BEGIN: StreamHead = { revision: 'no stream', hash: null };

const open = async (...holders: string[]) => {
  const slots = new SingleNodeSlots(new MemoryDocuments(), 10);
  for (const holder of holders) await slots.take(OWNER, holder);
  const { log, store } = openedLog(EVENT_SCHEMAS);
  const freeing = freeingSlots(log, slots);
  const append = (eventStream: string, ...events: DomainEvent[]) =>
    freeing.append(eventStream, BEGIN, events, { subject: OWNER, actor: 'test', correlationId: 'c', causationId: 'c' });
  return { store, append, held: () => slots.heldBy(OWNER, 10) };
};

const RENAMED: DomainEvent = { type: 'StreamRenamed', data: { name: 'x' } };

test.each<[string, DomainEvent]>([
  ['completes', { type: 'StreamCompleted', data: {} }],
  ['fails', { type: 'StreamFailed', data: { reason: 'x' } }],
  ['is canceled', { type: 'StreamCanceled', data: { reason: 'x' } }],
])('frees the slot of a stream that %s, before its caller continues', async (_, end) => {
  const { append, held } = await open(STREAM, 'another stream');
  await append(`stream-${STREAM}`, RENAMED, end);
  expect(await held()).toEqual(['another stream']);
});

test('frees the slot of the rerun that ended, not those of other attempts', async () => {
  const { append, held } = await open(STREAM, `${STREAM}#2`, `${STREAM}#3`);
  await append(`stream-${STREAM}`, { type: 'StreamFailed', data: { reason: 'x', attempt: 2 } });
  expect(await held()).toEqual([STREAM, `${STREAM}#3`]);
});

test('keeps the slot of a stream that still runs', async () => {
  const { append, held } = await open(STREAM);
  await append(`stream-${STREAM}`, RENAMED);
  expect(await held()).toEqual([STREAM]);
});

test('keeps the slot if the end could not be stored', async () => {
  const { store, append, held } = await open(STREAM);
  store.append = async () => {
    throw new StoreUnavailable('away');
  };
  await expect(append(`stream-${STREAM}`, { type: 'StreamCompleted', data: {} })).rejects.toThrow(StoreUnavailable);
  expect(await held()).toEqual([STREAM]);
});
