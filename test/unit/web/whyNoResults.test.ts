import { expect, test } from 'vitest';
import { whyNoResults } from '../../../web/src/pages/streams/whyNoResults.ts';

const stage = (processorId: string, state: 'COMPLETED' | 'ERROR' | 'CLOSED') => ({
  processorId,
  state,
  stateChangedTimestamp: '2026-01-01T00:00:00.000Z',
  stateDescription: null,
  startedTimestamp: null,
});

test.each([
  [
    'FAILED',
    [stage('transcriber', 'ERROR'), stage('llm', 'CLOSED')],
    /^The stream failed before a stage finished\. The reason is at the top/,
  ],
  [
    'FAILED',
    [stage('transcriber', 'COMPLETED'), stage('llm', 'ERROR')],
    /^The stream failed\. Finished before: transcriber, without a result/,
  ],
  ['COMPLETED', [stage('transcriber', 'COMPLETED')], /^No speech was found/],
] as const)('a %s stream without results says why', (state, processors, words) => {
  expect(whyNoResults({ state, processors })).toMatch(words);
});
