import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Transcription } from '../../src/domain/stream/messages.ts';
import type { JsonObject } from '../../src/json.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import type { InstalledModel } from '../../src/speech/models/installedModel.ts';
import { BESIDE_OTHERS, eventually } from '../eventually.ts';
import { makeMiniatureWhisper } from '../fakes/miniatureWhisper.ts';
import { localSpeech, speech, speechEngineIsHere } from '../speech.ts';
import { oneRun } from './oneRun.ts';

const here = await speechEngineIsHere();
const directory = mkdtempSync(join(tmpdir(), 'tributary-whisper-'));
const model = (name: string, languages: 'en' | 'many'): InstalledModel => ({
  ...{ name, engine: 'whisper', folder: join(directory, name), languages, bytes: 1_300_000, origin: 'added', files: [] },
});

const local = localSpeech();
afterAll(() => {
  local.workers.close();
  rmSync(directory, { recursive: true, force: true });
});

const transcriber = (models: readonly InstalledModel[], id = 'batch-transcriber', workers = local.workers) => {
  const sources = { ...local.sources, installed: async () => models };
  const processor = openProcessors({ clock: systemClock, localSpeech: { workers, sources } }).get(id);
  if (!processor) throw new Error('no transcriber');
  return processor;
};

// A real Whisper with random weights: its words are always the same, whatever is said.
describe.skipIf(!here)('the transcriber with a miniature Whisper', { timeout: 120_000 }, () => {
  const many = model('many', 'many');
  const english = model('english', 'en');
  let wav: Buffer;
  beforeAll(async () => {
    await makeMiniatureWhisper(many.folder, 'many');
    await makeMiniatureWhisper(english.folder, 'en');
    wav = await speech([[{ text: 'The weather is wonderful today.' }]]);
  }, 120_000);

  const transcribe = async (models: readonly InstalledModel[], properties: JsonObject = {}, id?: string) => {
    const { messages, report } = await oneRun(transcriber(models, id), { bytes: [wav], properties });
    // Written by the transcriber under the schema that the message names.
    return { payloads: messages.map(({ payload }) => payload as unknown as Transcription), report };
  };

  test('writes words with times and probabilities, and names the model', async () => {
    const { payloads, report } = await transcribe([many], { language: 'ro' });
    expect(payloads.map(({ transcription }) => transcription).join('')).toBe('the water runs to the sea. we count every little stream.');
    expect(payloads[0]).toMatchObject({
      metadata: { engine: 'faster-whisper 1.2.1', model: 'many', language: 'ro', wordTimes: 'aligned' },
    });
    const words = payloads.flatMap((payload) => payload.words);
    expect(words.every(({ confidence }) => confidence !== null && confidence >= 0 && confidence <= 1)).toBe(true);
    for (const [n, word] of words.entries()) {
      expect(word.start).toBeGreaterThanOrEqual(words[n - 1]?.end ?? 0);
      expect(word.end).toBeGreaterThanOrEqual(word.start ?? 0);
      expect(word.end).toBeLessThanOrEqual(report.processedAudioLength ?? 0);
    }
  });

  test('detects the language, and chooses among the given ones', async () => {
    const [first] = (await transcribe([many])).payloads;
    expect(first?.metadata).toMatchObject({ language: expect.any(String), languageProbability: expect.any(Number) });
    const [chosen] = (await transcribe([many], { language: ['de', 'fr'] })).payloads;
    expect(['de', 'fr']).toContain(chosen?.metadata.language);
  });

  test('serves the Romanian template', async () => {
    const [first] = (await transcribe([many], {}, 'romanian-transcriber')).payloads;
    expect(first).toMatchObject({ metadata: { model: 'many', language: 'ro' } });
  });

  test('uses the model named in the template', async () => {
    expect((await transcribe([many, english], { model: 'english' })).payloads[0]).toMatchObject({
      metadata: { model: 'english', language: 'en' },
    });
  });

  test('translates into English', async () => {
    expect((await transcribe([many], { task: 'translate', language: 'de' })).payloads[0]).toMatchObject({ metadata: { language: 'en' } });
  });

  test('refuses at the upload what its models cannot do', async () => {
    const unavailable = (properties: JsonObject) => transcriber([english]).unavailable(properties);
    expect(await unavailable({ language: 'en' })).toBeNull();
    expect(await unavailable({ language: 'ro' })).toContain('npx tributary models pull base');
    expect(await unavailable({ model: 'english', language: 'ro' })).toContain('understands English only, not "ro"');
    expect(await unavailable({ task: 'translate' })).toContain('Translation needs a multilingual Whisper model');
  });

  test.each(['batch-transcriber', 'realtime-transcriber'])('refuses an unknown language at the upload (%s)', async (id) => {
    const unavailable = async (language: string | string[]) => transcriber([many], id).unavailable({ language });
    await expect(unavailable('xx')).rejects.toMatchObject({
      internalErrorName: 'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
      statusCode: 400,
    });
    await expect(unavailable(['de', 'xx'])).rejects.toThrow('Whisper does not know the language "xx"');
    for (const language of ['ro', 'ro-RO', 'pt_BR', 'yue']) expect(await unavailable(language)).toBeNull();
  });

  test('fails a run in an unknown language', async () => {
    await expect(transcribe([many], { language: 'xx' })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      message: 'The speech engine failed: the model does not know the language "xx".',
      retryable: false,
    });
  });

  test('transcribes live speech in other languages, one utterance at a time', async () => {
    const properties = { language: 'ro' };
    const { messages } = await oneRun(transcriber([many], 'realtime-transcriber'), { bytes: [wav], properties });
    expect(messages).toMatchObject([{ frameType: 'final', payload: { metadata: { model: 'many', language: 'ro' } } }]);
  });

  describe('in a worker of its own', () => {
    const { workers } = localSpeech();
    const processor = transcriber([many], 'batch-transcriber', workers);
    afterAll(() => workers.close());
    const long = (sentences: number) =>
      speech([Array.from({ length: sentences }, () => ({ text: 'The weather is wonderful today.', after: 2_500 }))]);

    test('writes results while it processes the rest of a long recording, and limits its memory', async () => {
      // Loads the model.
      await oneRun(processor, { bytes: [wav], properties: { language: 'en' } });
      const bytes = [await long(8)];
      const times = [performance.now()];
      const memory: number[] = [];
      const resident = () => Number(readFileSync(`/proc/${workers.pids[0]}/statm`, 'utf8').split(' ')[1]) / 256;
      const onMessage = () => {
        times.push(performance.now());
        memory.push(resident());
      };
      await oneRun(processor, { bytes, properties: { language: 'en' }, onMessage });
      const [began = 0, first = 0] = times;
      expect(first - began).toBeLessThan((performance.now() - began) / 2);
      const half = memory.length / 2;
      expect(Math.max(...memory.slice(half))).toBeLessThan(Math.max(...memory.slice(0, half)) + 32);
    });

    test('is cancelled within two seconds, and its worker ends', async () => {
      const abort = new AbortController();
      const heard: unknown[] = [];
      const onMessage = (message: unknown) => heard.push(message);
      const run = oneRun(processor, { bytes: [await long(4)], properties: { language: 'en' }, signal: abort.signal, onMessage });
      const outcome = expect(run).rejects.toThrow('not wanted');
      await eventually(() => heard.length > 0, 60_000);
      const asked = performance.now();
      abort.abort(new Error('not wanted'));
      await outcome;
      expect(performance.now() - asked).toBeLessThan(2_000 * BESIDE_OTHERS);
      expect(workers.pids).toEqual([]);
    });
  });

  test('returns the same words after its worker was killed in a run', async () => {
    const expected = (await transcribe([many], { language: 'en' })).payloads.map(({ transcription }) => transcription);
    for (const pid of local.workers.pids) process.kill(pid, 'SIGKILL');
    await eventually(() => local.workers.pids.length === 0);
    const killed = expect(transcribe([many], { language: 'en' })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      retryable: true,
    });
    await eventually(() => local.workers.pids.length > 0);
    for (const pid of local.workers.pids) process.kill(pid, 'SIGKILL');
    await killed;
    expect((await transcribe([many], { language: 'en' })).payloads.map(({ transcription }) => transcription)).toEqual(expected);
  });
});
