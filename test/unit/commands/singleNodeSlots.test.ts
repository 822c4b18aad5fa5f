import { expect, test, vi } from 'vitest';
import { isFull, takeSlot } from '../../../src/commands/slots/endedSlots.ts';
import { SingleNodeSlots } from '../../../src/commands/slots/singleNodeSlots.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { MemoryDocuments } from '../../fakes/memoryDocuments.ts';

const ANNA = 'anna';
/** It is not asked: no user is at their limit. */
const log = {} as never;
const stored = async (documents: MemoryDocuments) =>
  (await documents.find('slots', { limit: 100 })).map(({ id, body }) => [id, body.streamId]);

test("refuses a stream above its user's limit, and accepts other users' streams", async () => {
  const slots = new SingleNodeSlots(new MemoryDocuments(), 2);
  expect(await Promise.all(['1', '2', '3'].map((stream) => slots.take(ANNA, stream)))).toEqual([true, true, false]);
  expect([await slots.isFull(ANNA), await slots.remaining(ANNA)]).toEqual([true, 0]);
  expect(await slots.take('ben', '4')).toBe(true);
  await slots.free(ANNA, '1');
  expect(await slots.take(ANNA, '3')).toBe(true);
  expect(await slots.heldBy(ANNA, 10)).toEqual(['2', '3']);
});

test('writes no document for a stream that ends before slots are stored', async () => {
  const documents = new MemoryDocuments();
  const slots = new SingleNodeSlots(documents, 5);
  await slots.take(ANNA, 'short');
  await slots.take(ANNA, 'long');
  await slots.free(ANNA, 'short');
  await slots.store();
  expect(await stored(documents)).toEqual([['anna/slot/1', 'long']]);
  await slots.free(ANNA, 'long');
  expect(await stored(documents)).toEqual([]);
});

test('restores the stored slots after a restart', async () => {
  const documents = new MemoryDocuments();
  const before = new SingleNodeSlots(documents, 2);
  await before.take(ANNA, '1');
  await before.take(ANNA, '2');
  await before.store();
  const after = new SingleNodeSlots(documents, 2);
  expect(await after.take(ANNA, '3')).toBe(false);
  expect((await after.list()).map(({ holder }) => holder)).toEqual(['1', '2']);
  await after.free(ANNA, '1');
  expect(await after.take(ANNA, '3')).toBe(true);
});

test('keeps one slot for each running stream, even above the limit, and frees those of ended streams', async () => {
  const slots = new SingleNodeSlots(new MemoryDocuments(), 1);
  await slots.take(ANNA, '1');
  const stillRuns = async (holder: string) => holder !== 'ended meanwhile';
  await slots.keep(ANNA, { ended: [], running: ['1', '2', 'ended meanwhile'], stillRuns });
  expect(await slots.heldBy(ANNA, 10)).toEqual(['1', '2']);
  await slots.keep(ANNA, { ended: ['1', 'unknown'], running: [], stillRuns });
  expect(await slots.heldBy(ANNA, 10)).toEqual(['2']);
});

test('frees one slot at a time if a stream has two', async () => {
  const slots = new SingleNodeSlots(new MemoryDocuments(), 5);
  await slots.take(ANNA, '1');
  await slots.take(ANNA, '1');
  await slots.free(ANNA, '1');
  expect(await slots.remaining(ANNA)).toBe(4);
});

test('leaves no document of a slot that is freed while it is being stored', async () => {
  const documents = new MemoryDocuments();
  const slots = new SingleNodeSlots(documents, 5);
  await slots.take(ANNA, '1');
  const storing = slots.store();
  await slots.free(ANNA, '1');
  await storing;
  expect(await stored(documents)).toEqual([]);
});

test('holds the limit of all users in a burst', async () => {
  const slots = new SingleNodeSlots(new MemoryDocuments(), 5, 2);
  const taken = await Promise.allSettled(['1', '2', '3', '4'].map((stream) => takeSlot({ log, slots }, ANNA, stream)));
  expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(slots.total.held).toBe(2);
});

test('counts no slot twice after a load that failed on its second page', async () => {
  const documents = new MemoryDocuments();
  const before = new SingleNodeSlots(documents, 2_000);
  for (let n = 0; n < 1_001; n++) await before.take(ANNA, String(n));
  await before.store();
  const find = vi.spyOn(documents, 'find');
  const firstPage = await documents.find('slots', { skip: 0, limit: 1_000 });
  find.mockResolvedValueOnce(firstPage).mockRejectedValueOnce(new StoreUnavailable('away'));
  const after = new SingleNodeSlots(documents, 2_000);
  await expect(after.list()).rejects.toThrow(StoreUnavailable);
  expect((await after.list()).length).toBe(1_001);
  expect(after.total.held).toBe(1_001);
});

test('counts the streams of all users, also after a restart', async () => {
  const documents = new MemoryDocuments();
  const slots = new SingleNodeSlots(documents, 5, 2);
  await slots.take(ANNA, '1');
  await slots.take('ben', '2');
  expect(slots.total).toEqual({ held: 2, limit: 2 });
  await expect(takeSlot({ log, slots }, 'carl', '3')).rejects.toMatchObject({ statusCode: 503, headers: { 'Retry-After': '2' } });
  await expect(isFull({ log, slots }, 'carl')).rejects.toMatchObject({ statusCode: 503 });
  await slots.store();
  const after = new SingleNodeSlots(documents, 5, 2);
  await after.list();
  expect(after.total.held).toBe(2);
  await after.free(ANNA, '1');
  expect(await takeSlot({ log, slots: after }, 'carl', '3')).toBe(true);
});
