import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';
import { uploads } from '../uploads.ts';

const [MANY, FEW] = [10_000, 300];
const groupId = randomUUID();

const PATHS: Readonly<Record<string, string>> = {
  group: `stream-service/api/v1/groups/${groupId}`,
  list: `stream-service/api/v1/streams?group=${groupId}&size=100`,
  messages: `export-service/api/v1/export/EVENTS?group=${groupId}`,
  results: `export-service/api/v1/export/JSON?group=${groupId}`,
  text: `export-service/api/v1/export/TEXT?group=${groupId}`,
};
const NAMES = Object.keys(PATHS);
const EXPORTS = ['messages', 'results', 'text'];

/** Reads and exports of a group with ten thousand streams, two of each kind at a time. */
export const hugeGroup: Attack = {
  name: 'huge-group',
  by: 'a user',
  prepare: (target) => uploads(target, target.short ? FEW : MANY, { persist: 'true', groupId }),
  // Exports of the whole group take longer beside the other requests.
  until: EXPORTS.flatMap((name) => [`${name} 200`, `${name} 204`]),
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
    expect(EXPORTS.filter((name) => outcomes.has(`${name} 200`) || outcomes.has(`${name} 204`))).not.toEqual([]);
  },
};
