import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';
import { newUser } from '../rig.ts';
import { heavyTemplate } from './heavyTemplates.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const [USERS, FEW_USERS] = [20, 6];
/** Nearly the 32 MiB of memory that all templates of a user may take. */
const COUNT = 30;
/** Prepares a few users at a time. */
const PREPARED_TOGETHER = 4;
/** Milliseconds after each piece of an answer. */
const PAUSE = 250;

let keys: string[] = [];

const newOwner = async ({ url }: Target, n: number): Promise<string> => {
  const { key } = await newUser(url, `templates of many ${n}`);
  for (let template = 0; template < COUNT; template += 1) {
    const { status, text } = await call(url, TEMPLATES, { method: 'PUT', key, body: heavyTemplate(`Heavy ${template}`) });
    if (status !== 200) throw new Error(`a template was answered with ${status}: ${text.slice(0, 200)}`);
  }
  return key;
};

const listSlowly = async ({ url, signal, count }: Target, key: string): Promise<void> => {
  const answer = await fetch(`${url}${TEMPLATES}?size=100`, { headers: { authorization: `Basic ${key}` }, signal });
  count(answer.status);
  for await (const _ of answer.body ?? []) await wait(PAUSE, undefined, { signal });
};

/** Many users, each with the largest allowed number of the largest allowed templates, who list them at the same time and read slowly. */
export const templatesOfMany: Attack = {
  name: 'templates-of-many',
  by: 'a user',
  prepare: async (target) => {
    keys = [];
    const many = target.short ? FEW_USERS : USERS;
    for (let n = 0; n < many; n += PREPARED_TOGETHER) {
      const together = Math.min(PREPARED_TOGETHER, many - n);
      keys.push(...(await Promise.all(Array.from({ length: together }, (_, one) => newOwner(target, n + one)))));
    }
  },
  run: (target) => repeat(target.signal, keys.length, (lane) => listSlowly(target, keys[lane] ?? '')),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
