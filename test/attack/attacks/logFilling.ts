import { expect } from 'vitest';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const TEMPLATE = `/stream-configuration-service/api/v1/stream-configuration-templates/${TEXT_TEMPLATE}`;
const PATCH_BYTES = 60_000;
const BYTES_A_DAY = 3_000_000;
const LANES = 4;

/** Template patches, each an event of all that the template holds, until the user's share of the log is used. */
export const logFilling: Attack = {
  name: 'log-filling',
  by: 'a user',
  environment: { LOG_BYTES_PER_USER_DAY: String(BYTES_A_DAY) },
  run: ({ url, headers, signal, count }) => {
    let number = 0;
    return repeat(signal, LANES, async () => {
      const value = `${++number}`.padEnd(PATCH_BYTES, 'x');
      const body = JSON.stringify({ jsonPatches: [{ op: 'replace', path: '/processors/llm/properties/askAnything/0/content', value }] });
      const answer = await fetch(url + TEMPLATE, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
      });
      await answer.arrayBuffer();
      count(answer.status);
    });
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].sort()).toEqual(['200', '429']);
    expect(outcomes.get('200')).toBeLessThanOrEqual(BYTES_A_DAY / PATCH_BYTES + LANES);
  },
};
