import { expect } from 'vitest';
import { getStream, PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { eventually } from '../../eventually.ts';
import { type Attack, repeat } from '../attack.ts';

const LANES = 8;
const MEBIBYTES = 16;
const ids = new Map<string, string>();

/** Exports of all messages of a large stream, eight at a time. */
export const eventsExports: Attack = {
  name: 'events-exports',
  by: 'a user',
  prepare: async ({ url, key }) => {
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
    const { body } = await upload(url, query, Buffer.alloc(MEBIBYTES * 1_048_576, 'a'), { key });
    ids.set(key, body.streamId);
    await eventually(async () => (await getStream(url, body.streamId, { key })).body.state === 'COMPLETED');
  },
  run: ({ url, key, headers, signal, count }) =>
    repeat(signal, LANES, async () => {
      const answer = await fetch(`${url}/export-service/api/v1/export/EVENTS?streams=${ids.get(key)}`, { headers, signal });
      for await (const _ of answer.body ?? []);
      count(answer.status);
    }),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '503')).toEqual([]);
  },
};
