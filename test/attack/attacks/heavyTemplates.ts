import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
/** Nearly the 1 MiB of memory that a template may take, in 42 KB of text. */
const VALUES = 14_000;
/** Nearly the 32 MiB that all templates of a user may take. */
const COUNT = 30;
const LANES = 4;

/** A template of many small values: its objects take 25 times the memory of its text. */
export const heavyTemplate = (name: string): object => ({
  name,
  processors: [
    { id: 'echo', processorDeclarationId: 'echo', destinationTopicHeaders: { values: Array.from({ length: VALUES }, () => ({})) } },
  ],
});

const ask = async ({ url, headers, signal, count }: Target, path: string, body?: object): Promise<void> => {
  const init = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) };
  const answer = await fetch(`${url}${TEMPLATES}${path}`, { ...init, headers: { ...headers, 'content-type': 'application/json' }, signal });
  await answer.arrayBuffer();
  count(answer.status);
};

const ids = new Map<string, string>();

/** The largest allowed number of the largest allowed templates: listed, read and replaced. */
export const heavyTemplates: Attack = {
  name: 'heavy-templates',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    for (let n = 0; n < (short ? COUNT / 2 : COUNT); n += 1) {
      const { status, text, body } = await call(url, TEMPLATES, { method: 'PUT', key, body: heavyTemplate(`Heavy ${n}`) });
      if (status !== 200) throw new Error(`a template was answered with ${status}: ${text.slice(0, 200)}`);
      ids.set(key, body.id);
    }
  },
  run: (target) => {
    const id = ids.get(target.key);
    return repeat(target.signal, LANES, (lane) =>
      lane < 2 ? ask(target, '?size=100') : lane === 2 ? ask(target, `/${id}`) : ask(target, '', { ...heavyTemplate('Replaced'), id }),
    );
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
