import { expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../src/http/bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;

test('all kinds of memory that users hold share 192 MiB, except for what a user holds up to 1 MiB', () => {
  const all = new BytesInAll();
  const [bodies, reads] = [new BytesOfUsers(all), new BytesOfUsers(all)];
  bodies.add('a', 64 * MEBIBYTE);
  expect(reads.hasRoom('b', 128 * MEBIBYTE)).toBe(true);
  expect(reads.hasRoom('b', 129 * MEBIBYTE)).toBe(false);
  reads.add('b', 128 * MEBIBYTE);
  expect(reads.hasRoom('c', MEBIBYTE)).toBe(true);
  expect(reads.hasRoom('c', MEBIBYTE + 1)).toBe(false);
  bodies.add('a', -2 * MEBIBYTE);
  expect(reads.hasRoom('c', MEBIBYTE + 1)).toBe(true);
});
