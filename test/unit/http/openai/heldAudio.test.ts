import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { HeldAudio } from '../../../../src/http/openai/realtime/heldAudio.ts';

const MEBIBYTE = 1024 * 1024;
const ROOM = { hold: () => {}, give: () => {} };

test('returns all added audio in order, and then nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100_000 }), { maxLength: 20 }), (pieces) => {
      const held = new HeldAudio(ROOM);
      for (const piece of pieces) held.add(Buffer.from(piece));
      const all = Buffer.concat(pieces);
      expect(held.length).toBe(all.length);
      expect(held.take().equals(all)).toBe(true);
      expect([held.length, held.take().length]).toEqual([0, 0]);
    }),
    { numRuns: 30 },
  );
});

test('merges many small additions into few pieces', () => {
  const held = new HeldAudio(ROOM);
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < MEBIBYTE; n++) held.add(Buffer.alloc(n % 2));
  expect(held.length).toBe(MEBIBYTE / 2);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
});

test('holds at most 15 MiB', () => {
  const held = new HeldAudio(ROOM);
  held.add(Buffer.alloc(15 * MEBIBYTE));
  expect(() => held.add(Buffer.alloc(1))).toThrow('at most 15728640 bytes');
  expect(held.length).toBe(15 * MEBIBYTE);
});

test('counts the memory that it takes, and gives it back at a commit or clear', () => {
  const budget = new MemoryBudget({ memoryPerUserMib: 32, memoryTotalMib: 64 });
  const memory = budget.open('a');
  const held = new HeldAudio({ hold: memory.take, give: memory.give });
  held.add(Buffer.alloc(3 * MEBIBYTE));
  held.add(Buffer.alloc(1));
  expect(budget.total).toBe(6 * MEBIBYTE);
  held.take();
  expect(budget.total).toBe(0);
  held.add(Buffer.alloc(1));
  expect(budget.total).toBe(65_536);
  held.clear();
  expect(budget.total).toBe(0);
});
