import { expect } from 'vitest';
import { call, upload } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';
import { heavyTemplate } from './heavyTemplates.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const STREAMS = '/stream-service/api/v1/streams';
/** More streams than the server keeps large states for. */
const COUNT = 100;
const LANES = 80;

let ids: string[] = [];

/**
 * Reads and renames more streams with the largest allowed configurations than the server keeps in memory, so that each command reads its stream from the log
 * again. The new name is the old one: nothing is written.
 */
export const coldStreams: Attack = {
  name: 'cold-streams',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    ids = [];
    const { body: template } = await call(url, TEMPLATES, { method: 'PUT', key, body: heavyTemplate('Heavy') });
    for (let n = 0; n < (short ? COUNT / 5 : COUNT); n += 1) {
      const { status, text, body } = await upload(url, { streamConfigurationTemplateId: template.id }, 'x', { key });
      if (status !== 200) throw new Error(`an upload was answered with ${status}: ${text.slice(0, 200)}`);
      ids.push(body.streamId);
    }
  },
  run: ({ url, headers, signal, count }) => {
    let next = 0;
    const rename = { method: 'PATCH', body: JSON.stringify({ name: 'same' }), headers: { ...headers, 'content-type': 'application/json' } };
    return repeat(signal, LANES, async (lane) => {
      const id = ids[next++ % ids.length];
      const answer = await fetch(`${url}${STREAMS}/${id}`, { ...(lane % 2 ? rename : { headers }), signal });
      await answer.arrayBuffer();
      count(answer.status);
    });
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
