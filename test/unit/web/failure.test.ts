import { expect, test } from 'vitest';
import type { StreamState } from '../../../web/src/api/types.ts';
import { failureReason, failureTitle, hasFailed } from '../../../web/src/parts/failure.ts';

const stream = (state: StreamState, stateDescription: string | null) => ({ state, stateDescription });

test.each([
  ['Canceled by user', 'Canceled by user.'],
  ['The data are not UTF-8.', 'The data are not UTF-8.'],
  ['The engine said "stop."', 'The engine said "stop."'],
  [null, 'The server gave no reason.'],
])('writes the reason %s as a sentence: %s', (reason, sentence) => {
  expect(failureReason(stream('FAILED', reason))).toBe(sentence);
});

test.each([
  ['FAILED', 'x', true],
  ['FAILED', null, true],
  ['EXPIRED', 'x', true],
  ['EXPIRED', null, false],
  ['COMPLETED', null, false],
] as const)('%s with the reason %s has failed: %s', (state, reason, failed) => {
  expect(hasFailed(stream(state, reason))).toBe(failed);
});

test('says that the data of a failed stream are deleted', () => {
  expect([failureTitle(stream('FAILED', 'x')), failureTitle(stream('EXPIRED', 'x'))]).toEqual(['Failed', 'Failed, data deleted']);
});
