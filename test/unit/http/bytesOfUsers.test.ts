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

test('all kinds share 48 MiB while memory is scarce, besides those of the user who holds most', () => {
  const memory = { scarcity: 1 };
  const all = new BytesInAll(memory);
  const [bodies, reads] = [new BytesOfUsers(all), new BytesOfUsers(all)];
  bodies.add('a', 24 * MEBIBYTE);
  bodies.add('b', 24 * MEBIBYTE);
  reads.add('c', 24 * MEBIBYTE);
  expect(reads.filledBy('d', MEBIBYTE)).toBeNull();
  expect(reads.filledBy('d', MEBIBYTE + 1)).toBe('all');
  expect(reads.filledBy('c', 48 * MEBIBYTE)).toBeNull();
  memory.scarcity = 0.5;
  expect(reads.filledBy('d', 64 * MEBIBYTE)).toBeNull();
});

test('a user who holds 72 MiB while memory is scarce does not block the others', () => {
  const reads = new BytesOfUsers(new BytesInAll({ scarcity: 1 }));
  reads.add('a', 72 * MEBIBYTE);
  expect(reads.filledBy('b', 2 * MEBIBYTE)).toBeNull();
  reads.add('b', 46 * MEBIBYTE);
  expect(reads.filledBy('c', 2 * MEBIBYTE)).toBeNull();
  expect(reads.filledBy('c', 2 * MEBIBYTE + 1)).toBe('all');
});

test('large work takes turns while memory is scarce: one user may do it while the others hold at most 48 MiB', () => {
  const reads = new BytesOfUsers(new BytesInAll({ scarcity: 1 }));
  reads.add('a', 48 * MEBIBYTE);
  expect(reads.filledBy('b', 72 * MEBIBYTE)).toBeNull();
  reads.add('b', 72 * MEBIBYTE);
  expect(reads.filledBy('a', 2 * MEBIBYTE)).toBe('all');
  expect(reads.filledBy('c', 2 * MEBIBYTE)).toBe('all');
  reads.add('b', -72 * MEBIBYTE);
  expect(reads.filledBy('c', 48 * MEBIBYTE)).toBeNull();
});
