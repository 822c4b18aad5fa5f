import { expect, test } from 'vitest';
import type { Caller } from '../../../src/domain/credentials/caller.ts';
import { OpenAccess } from '../../../src/http/auth/openAccess.ts';
import { ManualClock } from '../../manualClock.ts';

const caller = (actor: string): Caller => ({ subject: 'someone', actor, roles: ['user'] });

const opened = () => {
  const clock = new ManualClock();
  const revoked = new Set<string>();
  const asked: string[] = [];
  const directory = {
    isRevoked: async ({ actor }: Pick<Caller, 'actor'>) => {
      asked.push(actor);
      if (actor === 'away') throw new Error('the store is away');
      return revoked.has(actor);
    },
  };
  const ended: string[] = [];
  const access = new OpenAccess(directory, clock);
  const enter = (actor: string, name = actor) => access.enter(caller(actor), () => ended.push(name));
  return { clock, revoked, asked, ended, enter };
};

test('everything that a revoked credential has open ends within ten seconds, and nothing else does', async () => {
  const { clock, revoked, ended, enter } = opened();
  enter('mine', 'a socket');
  enter('mine', 'a live read');
  enter('other');
  const leave = enter('mine', 'a short request');
  await clock.advance(3_000);
  leave();
  revoked.add('mine');
  await clock.advance(7_000);
  expect(ended.sort()).toEqual(['a live read', 'a socket']);
  await clock.advance(20_000);
  expect(ended).toHaveLength(2);
});

test('each credential is looked up once in five seconds, however much it has open, and not at all for short requests', async () => {
  const { clock, asked, enter } = opened();
  const leaves = Array.from({ length: 100 }, () => enter('mine'));
  const short = enter('short');
  await clock.advance(4_000);
  short();
  await clock.advance(1_000);
  expect(asked).toEqual(['mine']);
  for (const leave of leaves) leave();
  await clock.advance(60_000);
  expect(asked).toEqual(['mine']);
});

test('nothing ends while the store is away', async () => {
  const { clock, ended, revoked, enter } = opened();
  enter('away');
  enter('mine');
  revoked.add('mine');
  await clock.advance(5_000);
  await clock.advance(5_000);
  expect(ended).toEqual(['mine']);
});
