import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Transcription } from '../../src/domain/stream/messages.ts';
import type { SinkMessageBody } from '../../src/processors/processor.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { BESIDE_OTHERS, eventually } from '../eventually.ts';
import { localSpeech, silence, speech, speechEngineIsHere } from '../speech.ts';
import { made, newFile, PICTURE } from '../unit/processors/media/generated.ts';
import { oneRun } from './oneRun.ts';

const WEATHER = 'The weather is wonderful today.';
const TERRIBLE = 'This was a terrible day.';
const BARE = { encoding: 'linear16', sampleRate: 16_000, channels: 1 };

const local = localSpeech();
afterAll(() => local.workers.close());

const live = () => {
  const processor = openProcessors({ clock: systemClock, localSpeech: local }).get('realtime-transcriber');
  if (!processor) throw new Error('no live transcriber');
  return processor;
};

const fileOf = (bytes: Buffer): string => {
  const path = newFile('file');
  writeFileSync(path, bytes);
  return path;
};

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);

/** Written by the transcriber under the schema that the message names. */
const payloadOf = ({ payload }: SinkMessageBody) => payload as unknown as Transcription;
const finals = (messages: readonly SinkMessageBody[]) => messages.filter(({ frameType }) => frameType === 'final').map(payloadOf);

/** A source that sends its chunks like a microphone, then stays open until `end`. */
const openLine = (...chunks: Uint8Array[]) => {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.byteLength; at += 3_200) {
        yield chunk.subarray(at, at + 3_200);
        await systemClock.pause(100);
      }
    }
    await over;
  }
  return { bytes: bytes(), end };
};

// The real engine on real speech: nothing here is faked.
describe.skipIf(!(await speechEngineIsHere()))('the live transcriber with moonshine', { timeout: 120_000 }, () => {
  test('gives partial messages during speech and a final one while the line is still open', async () => {
    const line = openLine(samplesOf(await speech([[{ text: WEATHER }]])), samplesOf(silence(2_000)));
    const heard: SinkMessageBody[] = [];
    const run = oneRun(live(), { bytes: line.bytes, properties: BARE, onMessage: (message) => heard.push(message) });
    // The source has not ended: only the pause ends the utterance.
    await eventually(() => heard.some(({ frameType }) => frameType === 'final'), 60_000);
    const partials = heard.filter(({ frameType }) => frameType === 'partial').map(payloadOf);
    expect(partials.length).toBeGreaterThan(0);
    expect(partials[0]).toMatchObject({ utterance: false, start: expect.any(Number), metadata: { language: 'en' } });
    expect(heard.at(-1)).toMatchObject({ frameType: 'final', payload: { transcription: WEATHER, channel: null, utterance: true } });
    line.end();
    const { messages, report } = await run;
    expect(finals(messages)).toHaveLength(1);
    expect(report.processedAudioLength).toBeGreaterThan(3_000);
  });

  test.each([
    ['linear16', 'wav', BARE],
    ['flac', 'flac', { encoding: 'flac' }],
    ['opus', 'opus', { encoding: 'opus' }],
  ])('transcribes %s', async (encoding, format, properties) => {
    const file = await speech([[{ text: WEATHER }]], format);
    const bytes = [encoding === 'linear16' ? samplesOf(file) : file];
    expect(finals((await oneRun(live(), { bytes, properties })).messages)).toMatchObject([{ transcription: WEATHER }]);
  });

  test('transcribes each channel by itself with multichannel', async () => {
    const samples = samplesOf(await speech([[{ text: WEATHER }], [{ text: TERRIBLE, voice: 'rms', after: 2500 }]]));
    const properties = { ...BARE, channels: 2, multichannel: true };
    const { messages } = await oneRun(live(), { bytes: [samples], properties });
    const heard = finals(messages).map(({ channel, transcription }) => `${channel}: ${transcription.trim()}`);
    expect(heard.sort()).toEqual([`0: ${WEATHER}`, expect.stringMatching(/^1: .*terrible day/)]);
  });

  test('numbers the speakers in the words of final messages', async () => {
    const wav = await speech([
      [
        { text: 'Hello, thank you for calling. How can I help you today?' },
        { text: 'I have a question about my invoice from last month.', voice: 'rms', after: 900 },
      ],
    ]);
    const { messages } = await oneRun(live(), { bytes: [wav], properties: { utteranceEndSilence: 600 } });
    const speakers = finals(messages).map(({ words }) => new Set(words.map(({ metadata }) => metadata.engineSpeaker)));
    expect(speakers).toEqual([new Set(['0']), new Set(['1'])]);
  });

  test('ends an utterance after the requested silence', async () => {
    const wav = await speech([[{ text: 'the weather is wonderful' }, { text: 'in the north of the country', after: 800 }]]);
    const heard = async (utteranceEndSilence: number) => {
      const { messages } = await oneRun(live(), { bytes: [wav], properties: { utteranceEndSilence } });
      return finals(messages).length;
    };
    expect(await heard(300)).toBe(2);
    expect(await heard(3_000)).toBe(1);
  });

  test('finds nothing in silence, and needs no engine for an empty session', async () => {
    expect(await oneRun(live(), { bytes: [silence(2_000)] })).toMatchObject({ messages: [], report: { processedAudioLength: 2_000 } });
    expect(await oneRun(live(), { bytes: [] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
  });

  test('refuses data that is not audio while the line is still open', async () => {
    const line = openLine(Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n'), Buffer.alloc(200_000));
    await expect(oneRun(live(), { bytes: line.bytes })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCODING_ERROR',
    });
  });

  test('keeps the times of a hole, and reads slices that are whole WAV files', async () => {
    const wav = await speech([[{ text: WEATHER }]]);
    const slices = await oneRun(live(), { bytes: [wav, silence(1_500), wav], properties: {} });
    expect(finals(slices.messages)).toMatchObject([{ transcription: WEATHER }, { transcription: expect.stringContaining(WEATHER) }]);
    const late = made(
      'late.webm',
      ...PICTURE,
      '-itsoffset',
      '2',
      '-f',
      'wav',
      '-i',
      fileOf(wav),
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c:v',
      'libvpx',
    );
    const { messages, report } = await oneRun(live(), { bytes: [readFileSync(late)], properties: {} });
    expect(finals(messages)[0]?.start).toBeGreaterThan(2_000);
    expect(report.processedAudioLength).toBeLessThan(4_000);
  });

  test('says that an index at the end of a file is too late, and what is no recording at all', async () => {
    const mp4 = readFileSync(made('last.mp4', '-f', 'lavfi', '-i', 'anoisesrc=d=30', '-c:a', 'aac', '-b:a', '128k'));
    await expect(oneRun(live(), { bytes: [mp4] })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCODING_ERROR',
      message: expect.stringMatching(/index .* at the end/),
    });
    const page = Buffer.from('<!doctype html><title>Sign in</title>');
    await expect(oneRun(live(), { bytes: [page] })).rejects.toMatchObject({ message: expect.stringContaining('a web page') });
  });

  test('stops within a second of an abort', async () => {
    const abort = new AbortController();
    const heard: unknown[] = [];
    const line = openLine(samplesOf(await speech([[{ text: WEATHER }]])), samplesOf(silence(3_000)));
    const run = oneRun(live(), { bytes: line.bytes, properties: BARE, signal: abort.signal, onMessage: (message) => heard.push(message) });
    const outcome = expect(run).rejects.toThrow('not wanted');
    await eventually(() => heard.length > 0, 60_000);
    const asked = performance.now();
    abort.abort(new Error('not wanted'));
    await outcome;
    expect(performance.now() - asked).toBeLessThan(1_000 * BESIDE_OTHERS);
  });
});

test.skipIf(!(await speechEngineIsHere()))('refuses at the upload what it cannot do', async () => {
  expect(await live().unavailable({ language: 'en' })).toBeNull();
  expect(await live().unavailable({ language: 'de' })).toContain('npx tributary models pull base');
  expect(await live().unavailable({ multichannel: true })).toContain('channels=2');
  expect(await live().unavailable({ multichannel: true, channels: 2 })).toBeNull();
});
