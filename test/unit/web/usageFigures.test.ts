import { expect, test } from 'vitest';
import { audioIn, tokensIn } from '../../../web/src/pages/usage/figures.ts';

test('usage shows a dash where nothing read audio or no model ran', () => {
  const llm = { measurements: { processedAudioLength: 0, processedTokens: 1_200 } };
  expect([audioIn(llm), tokensIn(llm)]).toEqual(['–', '1,200']);
  const transcriber = { measurements: { processedAudioLength: 60_000, processedTokens: 0 } };
  expect([audioIn(transcriber), tokensIn(transcriber)]).toEqual(['1 min', '–']);
});
