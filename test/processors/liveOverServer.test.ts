import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Transcription } from '../../src/domain/stream/messages.ts';
import type { JsonObject } from '../../src/json.ts';
import type { RunMemory } from '../../src/processors/processor.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { heardWords, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { localSpeech, silence, speech, speechEngineIsHere } from '../speech.ts';
import { oneRun } from './oneRun.ts';

const GERMAN: JsonObject = { language: 'de', encoding: 'linear16', sampleRate: 16_000, channels: 1, utteranceEndSilence: 500 };

const local = localSpeech();
let engine: StubEngine;
beforeAll(async () => {
  engine = await startStubEngine();
});
afterEach(() => engine.reset());
afterAll(async () => {
  local.workers.close();
  await engine.close();
});

const live = () => {
  const speechServer = { url: engine.url, apiKey: null, model: null, timeoutMilliseconds: 10_000 };
  const processor = openProcessors({ clock: systemClock, localSpeech: local, speechServer }).get('realtime-transcriber');
  if (!processor) throw new Error('no live transcriber');
  return processor;
};

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);
const answer = (text: string) => ({ body: { text, language: 'german', duration: 1, words: heardWords([text, 0.1, 0.6]) } });

const heard = async (bytes: readonly Uint8Array[], properties: JsonObject = GERMAN, memory?: RunMemory) => {
  const { messages, report } = await oneRun(live(), { bytes, properties, ...(memory ? { memory } : {}) });
  // Written by the transcriber under the schema that the message names.
  return { report, messages: messages.map(({ frameType, payload }) => ({ frameType, ...(payload as unknown as Transcription) })) };
};

// The real voice detector on real speech; only the server is a stub.
describe.skipIf(!(await speechEngineIsHere()))('live audio on a speech server', { timeout: 120_000 }, () => {
  test('is sent one utterance at a time, each of which gives one final message', async () => {
    engine.next(answer('Eins.'), answer('Zwei.'));
    const samples = samplesOf(
      await speech([[{ text: 'the weather is wonderful' }, { text: 'in the north of the country', after: 2_000 }]]),
    );
    const { messages, report } = await heard([samples, samplesOf(silence(1_000))]);
    expect(messages).toMatchObject([
      {
        frameType: 'final',
        transcription: 'Eins.',
        channel: null,
        metadata: { engine: 'speech-server', model: 'whisper-1', language: 'de' },
      },
      { frameType: 'final', transcription: ' Zwei.' },
    ]);
    expect(engine.calls.map(({ path, fields, file }) => [path, fields.language, file?.type])).toEqual([
      ['/v1/audio/transcriptions', 'de', 'audio/wav'],
      ['/v1/audio/transcriptions', 'de', 'audio/wav'],
    ]);
    const [first, second] = messages;
    expect(first?.words[0]?.start).toBe((first?.start ?? 0) + 100);
    expect(second?.start ?? 0).toBeGreaterThan((first?.end ?? 0) + 1_000);
    // The two utterances, not the silence between them.
    const sent = engine.calls.reduce((sum, { file }) => sum + (file?.bytes.byteLength ?? 0), 0);
    expect(sent).toBeLessThan(samples.byteLength - 32_000);
    expect(report.processedAudioLength).toBeGreaterThan(4_000);
  });

  test('sends nothing for silence', async () => {
    expect((await heard([samplesOf(silence(3_000))])).messages).toEqual([]);
    expect(engine.calls).toEqual([]);
  });

  test('cuts each channel by itself with multichannel', async () => {
    engine.always(answer('Hallo.'));
    const samples = samplesOf(await speech([[{ text: 'hello there' }], [{ text: 'goodbye my friend', voice: 'rms', after: 2_500 }]]));
    const { messages } = await heard([samples], { ...GERMAN, channels: 2, multichannel: true });
    expect(messages.map(({ channel, transcription }) => `${channel}: ${transcription.trim()}`)).toEqual(['0: Hallo.', '1: Hallo.']);
  });

  test('does not repeat a request for an utterance that an earlier attempt has the answer to', async () => {
    engine.always(answer('Hallo.'));
    const samples = samplesOf(await speech([[{ text: 'the weather is wonderful' }]]));
    const memory: RunMemory = { key: 'run', answers: new Map() };
    const first = await heard([samples], GERMAN, memory);
    expect(await heard([samples], GERMAN, memory)).toEqual(first);
    expect(engine.calls).toHaveLength(1);
  });

  test('reports that the server is down, so that the run is retried', async () => {
    engine.next({ status: 503, body: { error: { message: 'loading' } } });
    const samples = samplesOf(await speech([[{ text: 'the weather is wonderful' }]]));
    await expect(heard([samples])).rejects.toMatchObject({ name: 'EngineAway' });
  });

  test('leaves English to moonshine, which has partial results', async () => {
    const samples = samplesOf(await speech([[{ text: 'The weather is wonderful today.' }]]));
    const { messages } = await heard([samples], { ...GERMAN, language: 'en' });
    expect(messages.at(-1)).toMatchObject({ transcription: 'The weather is wonderful today.', metadata: { model: 'moonshine-tiny-en' } });
    expect(engine.calls).toEqual([]);
  });

  test('accepts every language at the upload', async () => {
    expect(await live().unavailable({ language: 'de' })).toBeNull();
  });
});
