import { expect } from 'vitest';
import { type Attack, repeat, type Target } from '../attack.ts';
import { uploads } from '../uploads.ts';

const [RUNS, FEW_RUNS] = [3_000, 200];
const NDJSON = { accept: 'application/x-ndjson' };
const READS: Readonly<Record<string, { readonly path: string; readonly headers?: Readonly<Record<string, string>> }>> = {
  export: { path: '/audit-service/api/v1/events', headers: NDJSON },
  page: { path: '/audit-service/api/v1/events?size=500' },
  seals: { path: '/audit-service/api/v1/seals' },
  'report by hour': { path: '/usage-service/api/v1/usage/report?granularity=HOURS' },
  'report by day': { path: '/usage-service/api/v1/usage/report?granularity=DAYS' },
};
const NAMES = Object.keys(READS);

/** Exports of the whole log, pages of it, and usage reports over very many runs, two of each kind at a time. */
export const auditReads: Attack = {
  name: 'audit-reads',
  until: ['page 200'],
  by: 'an auditor',
  prepare: (target) => uploads(target, target.short ? FEW_RUNS : RUNS),
  run: (target) => repeat(target.signal, 2 * NAMES.length, (lane) => read(target, NAMES[lane % NAMES.length] ?? '')),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => !/ (?:200|429|503)$/.test(outcome))).toEqual([]);
    for (const name of ['page', 'report by day']) expect(outcomes.get(`${name} 200`)).toBeGreaterThan(0);
  },
};

const read = async ({ url, headers, signal, count }: Target, name: string): Promise<void> => {
  const one = READS[name];
  const answer = await fetch(url + (one?.path ?? ''), { headers: { ...headers, ...one?.headers }, signal });
  for await (const _ of answer.body ?? []);
  count(`${name} ${answer.status}`);
};
