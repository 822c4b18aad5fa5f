import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';

/** Nearly the 64 KiB that the request line and headers may have together. Each part is a name that has to be decoded. */
const LONG = [`/health/live?${'%&'.repeat(30_000)}`, `/stream-service/api/v1/streams?${'&'.repeat(60_000)}`];
/** As many as a query may have. */
const ALLOWED = [`/health/live?${'%ff&'.repeat(1_999)}`, `/v1/models?${'%&'.repeat(1_999)}`];
const ADDRESSES = ','.repeat(60_000);

const get = async (url: string, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
  const answer = await fetch(url, { headers, signal });
  await answer.arrayBuffer();
  return answer.status;
};

/** Queries of very many parameters, with names that cannot be decoded, and long lists of forwarded addresses. */
export const denseQueries: Attack = {
  name: 'dense-queries',
  by: 'nobody',
  run: ({ url, signal, count }) =>
    repeat(signal, 10, async (lane) => {
      const path = [...LONG, ...ALLOWED][lane];
      count(await (path ? get(url + path, signal) : get(`${url}/health/live`, signal, { 'x-forwarded-for': ADDRESSES })));
    }),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].sort()).toEqual(['200', '400', '401']);
  },
};
