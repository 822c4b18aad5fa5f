import { afterAll, describe, expect, test } from 'vitest';
import { packagedSpeech } from '../../bench/speech/clips.ts';
import { wordErrors, wordsOf } from '../../bench/speech/wordErrors.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import type { Transcription } from '../../src/domain/stream/messages.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { installedModels } from '../../src/speech/models/installedModels.ts';
import { SPEECH_ENVIRONMENT } from '../../src/speech/models/packagedModel.ts';
import { localSpeech, speechEngineIsHere } from '../speech.ts';
import { oneRun } from './oneRun.ts';

const { modelsDir } = readConfig({ MODELS_DIR: process.env.MODELS_DIR });
const local = localSpeech(modelsDir);
afterAll(() => local.workers.close());

const here = await speechEngineIsHere();
const installed = new Set((await installedModels(modelsDir)).map(({ name }) => name));

const isThere = (model: string): boolean => {
  if (!installed.has(model)) console.warn(`skipped: needs the model ${model}`);
  return installed.has(model);
};

// Fifty-five seconds of human speech whose words are well known.
describe.skipIf(!here)('human speech', { timeout: 300_000 }, () => {
  test.each([
    ['moonshine-tiny-en', 10],
    ['base', 5],
  ])('is transcribed by %s with at most %i % wrong words', async (model, most) => {
    if (!isThere(model)) return;
    const transcriber = openProcessors({ clock: systemClock, localSpeech: local }).get('batch-transcriber');
    const corpus = await packagedSpeech(SPEECH_ENVIRONMENT);
    if (!transcriber || !corpus) throw new Error('no transcriber');
    let [errors, words] = [0, 0];
    for (const { wav, text } of corpus.clips) {
      const { messages } = await oneRun(transcriber, { bytes: [wav], properties: { model, language: 'en' } });
      // Written by the transcriber under the schema that the message names.
      const heard = messages.map(({ payload }) => (payload as unknown as Transcription).transcription).join('');
      errors += wordErrors(wordsOf(text), wordsOf(heard));
      words += wordsOf(text).length;
    }
    expect((100 * errors) / words).toBeLessThanOrEqual(most);
  });
});
