import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { HeldAudio, HeldAudioRoom } from '../../../../src/http/openai/realtime/heldAudio.ts';

const MEBIBYTE = 1024 * 1024;

test('returns all added audio in order, and then nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100_000 }), { maxLength: 20 }), (pieces) => {
      const held = new HeldAudio(new HeldAudioRoom(new BytesOfUsers(new BytesInAll())), 'a');
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
  const held = new HeldAudio(new HeldAudioRoom(new BytesOfUsers(new BytesInAll())), 'a');
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < MEBIBYTE; n++) held.add(Buffer.alloc(n % 2));
  expect(held.length).toBe(MEBIBYTE / 2);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
});

test('holds at most 15 MiB', () => {
  const held = new HeldAudio(new HeldAudioRoom(new BytesOfUsers(new BytesInAll())), 'a');
  held.add(Buffer.alloc(15 * MEBIBYTE));
  expect(() => held.add(Buffer.alloc(1))).toThrow('at most 15728640 bytes');
  expect(held.length).toBe(15 * MEBIBYTE);
});

test("holds at most 32 MiB for one user's sessions, and frees room when they commit or clear", () => {
  const room = new HeldAudioRoom(new BytesOfUsers(new BytesInAll()));
  const [first, second, third, other] = ['a', 'a', 'a', 'b'].map((subject) => new HeldAudio(room, subject));
  first?.add(Buffer.alloc(15 * MEBIBYTE));
  second?.add(Buffer.alloc(15 * MEBIBYTE));
  expect(() => third?.add(Buffer.alloc(3 * MEBIBYTE))).toThrow('32 MiB of a user');
  expect(third?.length).toBe(0);
  other?.add(Buffer.alloc(15 * MEBIBYTE));
  first?.take();
  third?.add(Buffer.alloc(15 * MEBIBYTE));
  second?.clear();
  second?.add(Buffer.alloc(15 * MEBIBYTE));
});

test('holds at most 96 MiB for all sessions together', () => {
  const room = new HeldAudioRoom(new BytesOfUsers(new BytesInAll()));
  for (const subject of ['a', 'a', 'b', 'b', 'c', 'c']) new HeldAudio(room, subject).add(Buffer.alloc(15 * MEBIBYTE));
  expect(() => new HeldAudio(room, 'd').add(Buffer.alloc(7 * MEBIBYTE))).toThrow('96 MiB in all');
});

test('names everything that fills the shared memory if there is no room left in it', () => {
  const all = new BytesInAll();
  const room = new HeldAudioRoom(new BytesOfUsers(all));
  new BytesOfUsers(all).add('a', 71 * MEBIBYTE);
  expect(() => new HeldAudio(room, 'a').add(Buffer.alloc(2 * MEBIBYTE))).toThrow('Your requests, answers, exports, live reads and audio');
});
