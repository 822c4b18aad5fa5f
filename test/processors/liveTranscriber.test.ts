import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { eventually } from '../eventually.ts';
import { grammarOf, silence, speech, speechEngineIsHere } from '../speech.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { oneRun } from './oneRun.ts';

const WEATHER = 'the weather is wonderful today';
const TERRIBLE = 'this was a terrible day';
const BARE = { encoding: 'linear16', sampleRate: 16_000, channels: 1 };

const live = (grammar = grammarOf(temporaryDirectory(), [WEATHER, TERRIBLE])) => {
  const processor = openProcessors({ clock: systemClock, transcriberGrammar: grammar }).get('realtime-transcriber');
  if (!processor) throw new Error('no live transcriber');
  return processor;
};

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);

/** A source that stays open until `end`: what is said, and then silence. */
const openLine = (...chunks: Uint8Array[]) => {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* chunks;
    await over;
  }
  return { bytes: bytes(), end };
};

// The real engine on real speech: nothing here is faked.
describe.skipIf(!(await speechEngineIsHere()))('the live transcriber with PocketSphinx', () => {
  test('gives a final message of an utterance while the speaker is still on the line', async () => {
    const line = openLine(samplesOf(await speech([[{ text: WEATHER }]])), samplesOf(silence(3_000)));
    const heard: unknown[] = [];
    const run = oneRun(live(), { bytes: line.bytes, properties: BARE, onMessage: (message) => heard.push(message) });
    // The source has not ended: nothing but the pause tells the engine that the utterance is over.
    await eventually(() => heard.length > 0, 15_000);
    expect(heard).toMatchObject([{ frameType: 'final', payload: { transcription: WEATHER, channel: null, utterance: true } }]);
    line.end();
    const { messages, report } = await run;
    expect(messages).toHaveLength(1);
    expect(report.processedAudioLength).toBeGreaterThan(3_000);
  });

  test('hears bare samples as they are described', async () => {
    const samples = samplesOf(await speech([[{ text: WEATHER }]]));
    expect((await oneRun(live(), { bytes: [samples], properties: BARE })).messages).toMatchObject([
      { payload: { transcription: WEATHER } },
    ]);
  });

  test.each([
    ['flac', 'flac'],
    ['ogg', undefined],
    ['opus', 'opus'],
  ])('hears %s', async (format, encoding) => {
    const bytes = [await speech([[{ text: WEATHER }]], format)];
    const properties = encoding ? { encoding } : {};
    expect((await oneRun(live(), { bytes, properties })).messages).toMatchObject([{ payload: { transcription: WEATHER } }]);
  });

  test('hears each channel by itself when their number is told', async () => {
    const samples = samplesOf(await speech([[{ text: WEATHER }], [{ text: TERRIBLE, voice: 'rms', after: 2500 }]]));
    const properties = { ...BARE, channels: 2, multichannel: true };
    const { messages } = await oneRun(live(), { bytes: [samples], properties });
    const heard = messages.map(({ payload }) => payload as { transcription: string; channel: string });
    expect(heard.map(({ transcription, channel }) => [channel, transcription.trim()]).sort()).toEqual([
      ['0', WEATHER],
      ['1', TERRIBLE],
    ]);
  });

  test('ends an utterance after the silence that was asked for', async () => {
    const wav = await speech([[{ text: WEATHER }, { text: TERRIBLE, after: 800 }]]);
    const grammar = grammarOf(temporaryDirectory(), [WEATHER, TERRIBLE, `${WEATHER} ${TERRIBLE}`]);
    const heard = async (utteranceEndSilence: number) => {
      const { messages } = await oneRun(live(grammar), { bytes: [wav], properties: { utteranceEndSilence } });
      return messages.map(({ payload }) => (payload as { transcription: string }).transcription.trim());
    };
    expect(await heard(300)).toEqual([WEATHER, TERRIBLE]);
    expect(await heard(3_000)).toEqual([`${WEATHER} ${TERRIBLE}`]);
  });

  test('finds nothing in silence, and needs no engine for no bytes at all', async () => {
    expect(await oneRun(live(), { bytes: [silence(2_000)] })).toMatchObject({ messages: [], report: { processedAudioLength: 2_000 } });
    expect(await oneRun(live(), { bytes: [] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
  });

  test('refuses what is no audio at once, though the line stays open', async () => {
    const line = openLine(Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n'), Buffer.alloc(200_000));
    await expect(oneRun(live(), { bytes: line.bytes })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCODING_ERROR',
    });
  });

  test('lets go within a second when it is not wanted any more', async () => {
    const abort = new AbortController();
    const heard: unknown[] = [];
    const line = openLine(samplesOf(await speech([[{ text: WEATHER }]])), samplesOf(silence(3_000)));
    const run = oneRun(live(), { bytes: line.bytes, properties: BARE, signal: abort.signal, onMessage: (message) => heard.push(message) });
    const outcome = expect(run).rejects.toThrow('not wanted');
    await eventually(() => heard.length > 0, 15_000);
    const asked = performance.now();
    abort.abort(new Error('not wanted'));
    await outcome;
    expect(performance.now() - asked).toBeLessThan(1_000);
  });
});

test('what the live engine cannot do is said before the upload', async () => {
  if (!(await speechEngineIsHere())) return;
  const processor = openProcessors({ clock: systemClock, transcriberGrammar: null }).get('realtime-transcriber');
  expect(await processor?.unavailable({ language: 'en' })).toBeNull();
  expect(await processor?.unavailable({ language: 'de' })).toContain('English only');
  expect(await processor?.unavailable({ multichannel: true })).toContain('channels=2');
  expect(await processor?.unavailable({ multichannel: true, channels: 2 })).toBeNull();
});
