import { expect } from 'vitest';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const TEMPLATE = `/stream-configuration-service/api/v1/stream-configuration-templates/${TEXT_TEMPLATE}`;
/** Four texts of this size are in each patch. */
const TEXT_BYTES = 60_000;
const PATCH_BYTES = 4 * TEXT_BYTES;
const PLACES = ['0/content', '0/systemPrompt', '1/content', '1/systemPrompt'];
/** More than the innocent tenant writes. */
const BYTES_A_DAY = 20_000_000;
const LANES = 4;

/** Template patches, each an event with the whole template, until the user's share of the log is used up. */
export const logFilling: Attack = {
  name: 'log-filling',
  by: 'a user',
  environment: { LOG_BYTES_PER_USER_DAY: String(BYTES_A_DAY) },
  run: ({ url, headers, signal, count }) => {
    let number = 0;
    return repeat(signal, LANES, async () => {
      const value = `${++number}`.padEnd(TEXT_BYTES, 'x');
      const jsonPatches = PLACES.map((place) => ({ op: 'replace', path: `/processors/llm/properties/askAnything/${place}`, value }));
      const body = JSON.stringify({ jsonPatches });
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
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '429')).toEqual([]);
    expect(outcomes.get('200')).toBeLessThanOrEqual(BYTES_A_DAY / PATCH_BYTES + LANES);
  },
};
