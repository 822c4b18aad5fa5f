import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { grammarOf, silence, speech, speechEngineIsHere } from '../speech.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { oneRun } from './oneRun.ts';

const WEATHER = 'the weather is wonderful today';
const TERRIBLE = 'this was a terrible day';
const HELLO = 'hello world';

const transcriber = (grammar: string | null) => {
  const processor = openProcessors({ clock: systemClock, transcriberGrammar: grammar }).get('batch-transcriber');
  if (!processor) throw new Error('no transcriber');
  return processor;
};

const exact = () => transcriber(grammarOf(temporaryDirectory(), [WEATHER, TERRIBLE, HELLO]));

// The real engine on real speech: nothing here is faked.
describe.skipIf(!(await speechEngineIsHere()))('the transcriber with PocketSphinx', () => {
  test('gives exactly what was said, an utterance a message, words that join to the text', async () => {
    const wav = await speech([[{ text: WEATHER }, { text: TERRIBLE, voice: 'rms', after: 1500 }]]);
    const { messages, report } = await oneRun(exact(), { bytes: [wav] });
    expect(messages).toMatchObject([
      {
        frameType: 'final',
        payloadSchema: 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto',
        payload: { transcription: WEATHER, channel: null, utterance: true, metadata: { engine: 'pocketsphinx' } },
      },
      { payload: { transcription: ` ${TERRIBLE}` } },
    ]);
    const payloads = messages.map(
      ({ payload }) => payload as { words: { word: string; start: number; end: number; confidence: number; language: string }[] },
    );
    const words = payloads.flatMap((payload) => payload.words);
    expect(words.map(({ word }) => word).join('')).toBe(`${WEATHER} ${TERRIBLE}`);
    expect(words.every(({ confidence, language }) => confidence >= 0 && confidence <= 1 && language === 'en')).toBe(true);
    expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).sort((a, b) => a - b));
    // Sixteen-bit samples at 16 kHz behind a short header.
    expect(Math.abs((report.processedAudioLength ?? 0) - wav.byteLength / 32)).toBeLessThan(50);
    expect(words.at(-1)?.end).toBeGreaterThan(3500);
  });

  test('takes compressed formats', async () => {
    const { messages } = await oneRun(exact(), { bytes: [await speech([[{ text: WEATHER }]], 'ogg')] });
    expect(messages).toMatchObject([{ payload: { transcription: WEATHER } }]);
  });

  test('hears each channel by itself when they are to be split, in the order of their starts', async () => {
    const stereo = await speech([[{ text: WEATHER }], [{ text: TERRIBLE, voice: 'rms', after: 2500 }]]);
    const { messages, report } = await oneRun(exact(), { bytes: [stereo], properties: { splitStereo: true } });
    expect(messages).toMatchObject([
      { payload: { transcription: WEATHER, channel: '0' } },
      { payload: { transcription: ` ${TERRIBLE}`, channel: '1' } },
    ]);
    expect(report.processedAudioLength).toBeGreaterThan(3500);
  });

  test('gives the one channel of mono audio the number 0', async () => {
    const { messages } = await oneRun(exact(), { bytes: [await speech([[{ text: HELLO }]])], properties: { splitStereo: true } });
    expect(messages).toMatchObject([{ payload: { transcription: HELLO, channel: '0' } }]);
  });

  test('hears silence too, in one utterance, without voice activity detection', async () => {
    const wav = await speech([[{ text: WEATHER }, { text: TERRIBLE, after: 1500 }]]);
    const both = transcriber(grammarOf(temporaryDirectory(), [`${WEATHER} ${TERRIBLE}`]));
    const { messages } = await oneRun(both, { bytes: [wav], properties: { vad: false } });
    expect(messages).toMatchObject([{ payload: { transcription: `${WEATHER} ${TERRIBLE}` } }]);
  });

  test('finds no words in silence, and none in no bytes at all', async () => {
    expect(await oneRun(exact(), { bytes: [silence(2_000)] })).toMatchObject({ messages: [], report: { processedAudioLength: 2_000 } });
    expect(await oneRun(exact(), { bytes: [silence(0)] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
    expect(await oneRun(exact(), { bytes: [] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
  });

  test('refuses what is no audio, and playlists that name other files', async () => {
    const wrong = { errorName: 'PROCESSOR_TRANSCODING_ERROR', message: 'The data are no audio that can be decoded.' };
    await expect(oneRun(exact(), { bytes: [Buffer.from('no audio at all')] })).rejects.toMatchObject(wrong);
    const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n';
    await expect(oneRun(exact(), { bytes: [Buffer.from(playlist)] })).rejects.toMatchObject(wrong);
    await expect(oneRun(exact(), { bytes: [Buffer.from("ffconcat version 1.0\nfile '/etc/hostname'\n")] })).rejects.toMatchObject(wrong);
  });

  test('says before the upload which languages it knows, and when its grammar is gone', async () => {
    const processor = transcriber(null);
    expect(await processor.unavailable({})).toBeNull();
    expect(await processor.unavailable({ language: 'en-GB' })).toBeNull();
    expect(await processor.unavailable({ language: ['en', 'de'] })).toContain('TRANSCRIBER_URL');
    expect(await transcriber('/nowhere/words.jsgf').unavailable({})).toBe('The grammar file of TRANSCRIBER_GRAMMAR cannot be read.');
  });
});
