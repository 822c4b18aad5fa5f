import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';
import { heavyTemplate } from './heavyTemplates.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const VERIFY = '/audit-service/api/v1/verify';
const LANES = 6;
const VERSIONS = 150;

/** Verifications of the whole log, and of one event stream of large events, six at a time. */
export const parallelVerifications: Attack = {
  name: 'parallel-verifications',
  by: 'an auditor',
  prepare: async ({ url, key, short }) => {
    const { body } = await call(url, TEMPLATES, { method: 'PUT', key, body: heavyTemplate('Verified') });
    for (let n = 0; n < (short ? VERSIONS / 3 : VERSIONS); n += 1) {
      const { status, text } = await call(url, TEMPLATES, { method: 'PUT', key, body: { ...heavyTemplate(`Version ${n}`), id: body.id } });
      if (status !== 200) throw new Error(`a template was answered with ${status}: ${text.slice(0, 200)}`);
    }
  },
  run: ({ url, headers, subject, signal, count }) =>
    repeat(signal, LANES, async (lane) => {
      const query = lane % 2 === 0 ? '' : `?eventStream=templates-${subject}`;
      const answer = await fetch(`${url}${VERIFY}${query}`, { headers, signal });
      const { ok } = (await answer.json()) as { ok?: boolean };
      count(`${answer.status} ${ok}`);
    }),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => outcome !== '200 true')).toEqual([]);
  },
};
