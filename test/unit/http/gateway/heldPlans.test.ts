import { expect, it } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { holdPlan } from '../../../../src/http/gateway/heldPlans.ts';

const MEBIBYTE = 1_048_576;

it('the configurations of a user with very many open uploads are bounded: 429 until some have ended', () => {
  const held = new BytesOfUsers(new BytesInAll());
  const letGo = Array.from({ length: 32 }, () => holdPlan('a', MEBIBYTE, held));
  expect(() => holdPlan('a', MEBIBYTE, held)).toThrow(expect.objectContaining({ statusCode: 429, title: 'Too much memory held' }));
  letGo[0]?.();
  letGo[0]?.();
  holdPlan('a', MEBIBYTE, held);
  expect(() => holdPlan('a', MEBIBYTE, held)).toThrow('hold too much memory');
});

it('those of all users are bounded: 503, but a user may always hold the largest one', () => {
  const held = new BytesOfUsers(new BytesInAll());
  for (const user of ['a', 'b', 'c']) for (let n = 0; n < 32; n += 1) holdPlan(user, MEBIBYTE, held);
  holdPlan('d', 2 * MEBIBYTE, held);
  expect(() => holdPlan('d', MEBIBYTE, held)).toThrow(expect.objectContaining({ statusCode: 503 }));
});

it('small configurations are never refused', () => {
  const held = new BytesOfUsers(new BytesInAll());
  for (let n = 0; n < 32; n += 1) holdPlan('a', MEBIBYTE, held);
  for (let n = 0; n < 1_000; n += 1) holdPlan('a', 16_384, held)();
  expect(held.of('a')).toBe(32 * MEBIBYTE);
});

it('they are bounded more while memory is scarce', () => {
  const held = new BytesOfUsers(new BytesInAll());
  for (let n = 0; n < 8; n += 1) holdPlan('a', MEBIBYTE, held, { scarcity: 1 });
  expect(() => holdPlan('a', MEBIBYTE, held, { scarcity: 1 })).toThrow('hold too much memory');
});
