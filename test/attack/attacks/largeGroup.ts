import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const LANES = 12;
const PAUSE_MILLISECONDS = 200;
/** One more than a live read may follow, since each stream has a sink. */
const [MANY, FEW] = [1_001, 150];

const attack = { groupId: '', size: 0 };

/** Exports and live reads of a group with very many streams, all at once. */
export const largeGroup: Attack = {
  name: 'large-group',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', groupId: randomUUID() };
    let left = short ? FEW : MANY;
    Object.assign(attack, { groupId: query.groupId, size: left });
    const one = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status } = await upload(url, query, 'x', { key });
        if (status < 300) continue;
        left += 1;
        await wait(PAUSE_MILLISECONDS);
      }
    };
    await Promise.all([one(), one(), one(), one()]);
  },
  run: ({ url, headers, signal, count }) => {
    const paths = ['export-service/api/v1/export/EVENTS', 'egress-service/api/v1/egress/live', 'export-service/api/v1/export/JSON'];
    return repeat(signal, LANES, async (lane) => {
      const path = paths[lane % paths.length] ?? '';
      const limit = path.endsWith('live') && lane % 2 === 0 ? '&count=100' : '';
      const answer = await fetch(`${url}/${path}?group=${attack.groupId}${limit}`, { headers, signal });
      await answer.text();
      count(`${path.split('/').at(-1)}${limit && ' of 100'} ${answer.status}`);
    });
  },
  check: ({ outcomes }) => {
    const live = attack.size < MANY ? 'live 200' : 'live 400';
    const allowed = ['EVENTS 200', 'JSON 204', 'live of 100 200', live, 'EVENTS 503', 'live of 100 503', 'live 503', 'JSON 503'];
    expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
    expect(outcomes.get('EVENTS 200')).toBeGreaterThan(0);
  },
};
