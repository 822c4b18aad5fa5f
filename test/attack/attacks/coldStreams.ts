import { expect } from 'vitest';
import { call, upload } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';
import { heavyTemplate } from './heavyTemplates.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const STREAMS = '/stream-service/api/v1/streams';
/** Their states take twice the memory that is kept for large ones. */
const COUNT = 100;
/** Fewer than there are streams, so that each state has been let go when its stream is named again. */
const LANES = 80;

let ids: string[] = [];

/** Commands on more streams with the largest allowed configurations than the server remembers: each is read from the log again. */
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
    return repeat(signal, LANES, async (lane) => {
      const id = ids[next++ % ids.length];
      const body = JSON.stringify({ name: 'same' });
      const answer = await fetch(`${url}${STREAMS}/${id}`, {
        method: lane % 2 ? 'PATCH' : 'GET',
        ...(lane % 2 ? { body } : {}),
        headers: { ...headers, 'content-type': 'application/json' },
        signal,
      });
      await answer.arrayBuffer();
      count(answer.status);
    });
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
