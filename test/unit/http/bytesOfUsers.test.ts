import { expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../src/http/bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;

test('all kinds of memory that users hold share 192 MiB, except for what a user holds up to 1 MiB', () => {
  const all = new BytesInAll();
  const [bodies, reads] = [new BytesOfUsers(all), new BytesOfUsers(all)];
  bodies.add('a', 64 * MEBIBYTE);
  bodies.add('b', 64 * MEBIBYTE);
  expect(reads.filledBy('c', 64 * MEBIBYTE)).toBeNull();
  expect(reads.filledBy('c', 65 * MEBIBYTE)).toBe('all');
  reads.add('c', 64 * MEBIBYTE);
  expect(reads.filledBy('d', MEBIBYTE)).toBeNull();
  expect(reads.filledBy('d', MEBIBYTE + 1)).toBe('all');
  bodies.add('a', -2 * MEBIBYTE);
  expect(reads.filledBy('d', MEBIBYTE + 1)).toBeNull();
});

test('one user holds at most 72 MiB of all kinds together, so that others have room', () => {
  const all = new BytesInAll();
  const [bodies, reads] = [new BytesOfUsers(all), new BytesOfUsers(all)];
  bodies.add('a', 40 * MEBIBYTE);
  expect(reads.filledBy('a', 32 * MEBIBYTE)).toBeNull();
  expect(reads.filledBy('a', 33 * MEBIBYTE)).toBe('user');
  expect(reads.filledBy('b', 72 * MEBIBYTE)).toBeNull();
});

test('all kinds share 48 MiB while memory is scarce, and what a user holds up to 1 MiB is still accepted', () => {
  const memory = { scarcity: 1 };
  const all = new BytesInAll(memory);
  const [bodies, reads] = [new BytesOfUsers(all), new BytesOfUsers(all)];
  bodies.add('a', 24 * MEBIBYTE);
  bodies.add('b', 24 * MEBIBYTE);
  expect(reads.filledBy('c', MEBIBYTE)).toBeNull();
  expect(reads.filledBy('c', MEBIBYTE + 1)).toBe('all');
  memory.scarcity = 0.5;
  expect(reads.filledBy('c', 64 * MEBIBYTE)).toBeNull();
});

test('large work takes turns while memory is scarce: one user may do it while the others hold little', () => {
  const all = new BytesInAll({ scarcity: 1 });
  const reads = new BytesOfUsers(all);
  reads.add('a', 16 * MEBIBYTE);
  expect(reads.filledBy('b', 72 * MEBIBYTE)).toBeNull();
  reads.add('b', 72 * MEBIBYTE);
  expect(reads.filledBy('a', 2 * MEBIBYTE)).toBe('all');
  reads.add('b', -72 * MEBIBYTE);
  expect(reads.filledBy('a', 2 * MEBIBYTE)).toBeNull();
});
