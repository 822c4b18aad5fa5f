import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const [MANY, FEW] = [10_000, 300];
const LANES_OF_UPLOADS = 6;
const PAUSE_MILLISECONDS = 200;
const groupId = randomUUID();

const PATHS: Readonly<Record<string, string>> = {
  group: `stream-service/api/v1/groups/${groupId}`,
  list: `stream-service/api/v1/streams?group=${groupId}&size=100`,
  messages: `export-service/api/v1/export/EVENTS?group=${groupId}`,
  results: `export-service/api/v1/export/JSON?group=${groupId}`,
  text: `export-service/api/v1/export/TEXT?group=${groupId}`,
};
const NAMES = Object.keys(PATHS);

/** Reads and exports of a group with ten thousand streams, two of each kind at a time. */
export const hugeGroup: Attack = {
  name: 'huge-group',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    let left = short ? FEW : MANY;
    const one = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', groupId }, 'x', { key });
        if (status < 300) continue;
        left += 1;
        await wait(PAUSE_MILLISECONDS);
      }
    };
    await Promise.all(Array.from({ length: LANES_OF_UPLOADS }, one));
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, 2 * NAMES.length, async (lane) => {
      const name = NAMES[lane % NAMES.length] ?? '';
      const answer = await fetch(`${url}/${PATHS[name]}`, { headers, signal });
      await answer.arrayBuffer();
      count(`${name} ${answer.status}`);
    }),
  check: ({ outcomes }) => {
    const allowed = ['200', '204', '503'];
    expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome.split(' ')[1] ?? ''))).toEqual([]);
    expect(outcomes.get('group 200')).toBeGreaterThan(0);
    expect(outcomes.get('list 200')).toBeGreaterThan(0);
  },
};
