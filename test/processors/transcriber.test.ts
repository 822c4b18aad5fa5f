import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Transcription } from '../../src/domain/stream/messages.ts';
import { type JsonObject, memberOf } from '../../src/json.ts';
import type { SinkMessageBody } from '../../src/processors/processor.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { localSpeech, silence, speech, speechEngineIsHere } from '../speech.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { made, newFile, PICTURE } from '../unit/processors/media/generated.ts';
import { oneRun } from './oneRun.ts';

const WEATHER = 'The weather is wonderful today.';
const TERRIBLE = 'This was a terrible day.';

const local = localSpeech();
afterAll(() => local.workers.close());

const transcriber = (id = 'batch-transcriber') => {
  const processor = openProcessors({ clock: systemClock, localSpeech: local }).get(id);
  if (!processor) throw new Error('no transcriber');
  return processor;
};

const transcribe = (bytes: Buffer, properties: JsonObject = {}) => oneRun(transcriber(), { bytes: [bytes], properties });

/** Written by the transcriber under the schema that the message names. */
const payloads = (messages: readonly SinkMessageBody[]) => messages.map(({ payload }) => payload as unknown as Transcription);
const textOf = (messages: readonly SinkMessageBody[]) =>
  payloads(messages)
    .map(({ transcription }) => transcription)
    .join('');
/** Codes of the warnings of all messages. */
const warningsIn = (messages: readonly SinkMessageBody[]) =>
  payloads(messages).flatMap(({ metadata: { warnings } }) => (Array.isArray(warnings) ? warnings.map((one) => memberOf(one, 'code')) : []));
const wordsOf = (text: string) => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** Audio from ffmpeg's own generators: `anoisesrc=d=20`. */
const generated = async (source: string, format = 'wav'): Promise<Buffer> => {
  const path = join(temporaryDirectory(), `generated.${format}`);
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-y', path]);
  return readFile(path);
};

const converted = async (wav: Buffer, format: string, ...options: string[]): Promise<Buffer> => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, 'from.wav'), join(directory, `to.${format}`)];
  await writeFile(from, wav);
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', from, ...options, '-y', to]);
  return readFile(to);
};

describe.skipIf(!(await speechEngineIsHere()))('the transcriber with moonshine', { timeout: 120_000 }, () => {
  test("writes the spoken text with punctuation, times and the engine's name", async () => {
    const wav = await speech([[{ text: WEATHER }, { text: TERRIBLE, voice: 'rms', after: 1500 }]]);
    const { messages, report } = await transcribe(wav);
    expect(wordsOf(textOf(messages))).toEqual(wordsOf(`${WEATHER} ${TERRIBLE}`));
    const [first, second] = payloads(messages);
    expect(first).toMatchObject({
      transcription: WEATHER,
      ...{ channel: null, utterance: true },
      metadata: {
        ...{ engine: 'moonshine-voice 0.0.62', model: 'moonshine-tiny-en', language: 'en', wordTimes: 'estimated' },
        // Sixteen-bit samples at 16 kHz.
        recordingLength: expect.closeTo(wav.byteLength / 32, -2),
      },
    });
    expect(second?.start).toBeGreaterThan(3_000);
    const words = payloads(messages).flatMap((payload) => payload.words);
    expect(words.map(({ word }) => word).join('')).toBe(textOf(messages));
    expect(words.every(({ confidence, language }) => confidence !== null && confidence > 0 && confidence <= 1 && language === 'en')).toBe(
      true,
    );
    // Sixteen-bit samples at 16 kHz behind a short header.
    expect(Math.abs((report.processedAudioLength ?? 0) - wav.byteLength / 32)).toBeLessThan(50);
  });

  test('returns the sentence of the README word for word', async () => {
    const { messages } = await transcribe(await speech([[{ text: 'hello world. this is a test.' }]]));
    expect(wordsOf(textOf(messages))).toEqual(['hello', 'world', 'this', 'is', 'a', 'test']);
  });

  test('reports a word within 0.3 s of where it is spoken', async () => {
    const { messages } = await transcribe(await speech([[{ text: 'Thank you.' }, { text: 'Quarterly sales grew.', after: 4_000 }]]));
    const word = payloads(messages)
      .flatMap(({ words }) => words)
      .find((one) => one.word.includes('uarterly'));
    const thanks = (await speech([[{ text: 'Thank you.' }]])).byteLength / 32;
    expect(Math.abs((word?.start ?? 0) - (thanks + 4_000))).toBeLessThan(300);
  });

  test.each([
    ['mp3', []],
    ['wav', ['-ar', '8000', '-c:a', 'pcm_mulaw']],
  ])('transcribes %s %j', async (format, options) => {
    const bytes = await converted(await speech([[{ text: WEATHER }]]), format, ...options);
    expect(wordsOf(textOf((await transcribe(bytes)).messages))).toEqual(wordsOf(WEATHER));
  });

  test('transcribes each channel separately if they are split, in order of their starts', async () => {
    const stereo = await speech([[{ text: WEATHER }], [{ text: TERRIBLE, voice: 'rms', after: 2500 }]]);
    const { messages, report } = await transcribe(stereo, { splitStereo: true });
    expect(payloads(messages)).toMatchObject([
      { channel: '0', transcription: WEATHER },
      { channel: '1', transcription: expect.stringContaining('terrible day') },
    ]);
    expect(report.processedAudioLength).toBeGreaterThan(3500);
  });

  test('does not delay one channel until the other one speaks', async () => {
    const left = Array.from({ length: 12 }, () => ({ text: WEATHER, after: 1_500 }));
    const stereo = await speech([left, [{ text: TERRIBLE, voice: 'rms', after: 36_000 }]]);
    // Loads the model.
    await transcribe(await speech([[{ text: WEATHER }]]));
    const times: number[] = [];
    const onMessage = () => times.push(performance.now());
    const began = performance.now();
    await oneRun(transcriber(), { bytes: [stereo], properties: { splitStereo: true }, onMessage });
    expect((times[0] ?? 0) - began).toBeLessThan((performance.now() - began) / 2);
  });

  test('numbers the single channel of mono audio 0 if channels are split', async () => {
    const { messages } = await transcribe(await speech([[{ text: WEATHER }]]), { splitStereo: true });
    expect(payloads(messages)).toMatchObject([{ transcription: WEATHER, channel: '0' }]);
  });

  test.each(['anoisesrc=d=20:a=0.5', 'anoisesrc=d=20:a=0.3:c=pink', 'sine=440:d=20', 'anullsrc=r=16000,atrim=0:20'])(
    'finds no words in 20 s of %s',
    async (source) => {
      const { messages, report } = await transcribe(await generated(source));
      expect(messages).toEqual([]);
      expect(report.processedAudioLength).toBe(20_000);
    },
  );

  test('finds no words in silence without voice detection either', async () => {
    expect((await transcribe(silence(5_000), { vad: false })).messages).toEqual([]);
  });

  test('needs no engine for an empty recording', async () => {
    expect(await transcribe(silence(0))).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
    expect(await oneRun(transcriber(), { bytes: [] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
  });

  test('transcribes a truncated mp3 up to its end, with a warning', async () => {
    const mp3 = await converted(await speech([[{ text: WEATHER }, { text: TERRIBLE, after: 2_000 }]]), 'mp3');
    const { messages } = await transcribe(mp3.subarray(0, mp3.byteLength * 0.6));
    expect(payloads(messages).at(-1)).toMatchObject({
      transcription: WEATHER,
      metadata: {
        warnings: [
          {
            code: 'FILE_INCOMPLETE',
            message: expect.stringMatching(/^The file is incomplete: it announces \d\.\d s and holds \d\.\d s\./),
          },
        ],
      },
    });
  });

  test('says that a truncated m4a has no index', async () => {
    const m4a = await converted(await speech([[{ text: WEATHER }]]), 'm4a');
    await expect(transcribe(m4a.subarray(0, m4a.byteLength / 2))).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCODING_ERROR',
      message: 'The file is incomplete: its index (the "moov" atom) is missing, so nothing in it can be decoded. Send the whole file.',
    });
  });

  test('says that a video has no sound', async () => {
    await expect(transcribe(await generated('testsrc=d=1', 'mp4'))).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCODING_ERROR',
      message: 'The file has video but no sound.',
    });
  });

  test('refuses data that is not audio, and playlists that name other files', async () => {
    const errorName = 'PROCESSOR_TRANSCODING_ERROR';
    const unknown = { errorName, message: 'The data could not be decoded as audio.' };
    await expect(transcribe(Buffer.from('no audio at all'))).rejects.toMatchObject(unknown);
    const wrong = { errorName, message: 'This is a playlist, not a recording. Send the recording itself.' };
    const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n';
    await expect(transcribe(Buffer.from(playlist))).rejects.toMatchObject(wrong);
    await expect(transcribe(Buffer.from("ffconcat version 1.0\nfile '/etc/hostname'\n"))).rejects.toMatchObject(wrong);
  });

  test('places words where they are in a video whose sound begins later, and charges for the sound only', async () => {
    const wav = newFile('speech.wav');
    writeFileSync(wav, await speech([[{ text: WEATHER }]]));
    const late = made('late.mp4', ...PICTURE, '-itsoffset', '3', '-i', wav, '-map', '0:v', '-map', '1:a', '-c:v', 'mpeg4', '-c:a', 'aac');
    const { messages, report } = await transcribe(readFileSync(late));
    expect(payloads(messages)).toMatchObject([{ transcription: WEATHER, start: expect.toSatisfy((time: number) => time > 3_000) }]);
    expect(report.processedAudioLength).toBeLessThan(3_000);
  });

  test('carries what is wrong with a file in an empty message if it has no words', async () => {
    const silences = ['-f', 'lavfi', '-i', 'anullsrc=d=1', '-f', 'lavfi', '-i', 'sine=d=1', '-map', '0:a', '-map', '1:a'];
    const { messages } = await transcribe(readFileSync(made('tracks.mp4', ...silences)));
    expect(payloads(messages)).toMatchObject([
      { transcription: '', words: [], metadata: { engine: 'moonshine-voice 0.0.62', warnings: [{ code: 'OTHER_TRACKS' }] } },
    ]);
  });

  test('says that it cannot use a vocabulary', async () => {
    const { messages } = await transcribe(await speech([[{ text: WEATHER }]]), { vocabulary: ['Quarterly'] });
    expect(payloads(messages)).toMatchObject([{ transcription: WEATHER, metadata: { warnings: [{ code: 'VOCABULARY_IGNORED' }] } }]);
  });

  test.each([
    ['Spanish', 'buenas tardes gracias por llamar hoy a nuestra oficina. quisiera preguntar por la factura que me envio la semana pasada.'],
  ])('says at the end that %s is not likely to be English', async (_, text) => {
    const { messages } = await transcribe(await speech([[{ text }]]));
    expect(warningsIn(messages)).toEqual(['LANGUAGE_UNLIKELY']);
    expect(payloads(messages).at(-1)?.metadata.warnings).toMatchObject([
      { message: expect.stringContaining('npx tributary models pull base') },
    ]);
  });

  test.each([
    ['German', 'slt', 'ich moechte mein abonnement kuendigen bitte.'],
    ['French', 'rms', 'bonjour comment puis je vous aider.'],
    ['Romanian', 'slt', 'va rog sa ma sunati luni dimineata.'],
  ] as const)('says it of a single sentence in %s too', async (_, voice, text) => {
    expect(warningsIn((await transcribe(await speech([[{ text, voice }]]))).messages)).toEqual(['LANGUAGE_UNLIKELY']);
  });

  test.each(['Thank you.', 'My name is Peter and I live in Boston.'])('takes a short English sentence for English: %s', async (text) => {
    for (const voice of ['slt', 'rms'] as const)
      expect(warningsIn((await transcribe(await speech([[{ text, voice }]]))).messages)).toEqual([]);
  });

  test.each([
    ['over the telephone', 'aresample=8000'],
    ['beside music', "aevalsrc='0.1*sin(2*PI*220*t*(1+floor(mod(t*2,4))/4))':d=12[n];[in][n]amix=duration=first:normalize=0"],
  ])('takes English for English: %s', async (_, filter) => {
    const text = `${WEATHER} ${TERRIBLE} I would like to ask about the invoice that you sent me last week. The delivery arrived two days late.`;
    const bytes = await converted(
      await speech([[{ text }]]),
      'wav',
      '-filter_complex',
      filter.includes('[in]') ? filter.replace('[in]', '[0]') : filter,
    );
    const { messages } = await transcribe(bytes);
    expect(wordsOf(textOf(messages)).length).toBeGreaterThan(20);
    expect(warningsIn(messages)).toEqual([]);
  });

  test('takes the language auto for no language', async () => {
    expect(await transcriber().unavailable({ language: 'auto' })).toBeNull();
    const { messages } = await transcribe(await speech([[{ text: WEATHER }]]), { language: 'auto' });
    expect(payloads(messages)).toMatchObject([{ transcription: WEATHER, metadata: { language: 'en' } }]);
  });

  test('distinguishes the two voices of a mixed recording', async () => {
    const wav = await speech([
      [
        { text: 'Hello, thank you for calling. How can I help you today?' },
        { text: 'I have a question about my invoice from last month.', voice: 'rms', after: 500 },
        { text: 'Of course, may I have your customer number please?', after: 500 },
      ],
    ]);
    const { messages } = await transcribe(wav);
    const diarization = openProcessors({ clock: systemClock, localSpeech: local }).get('speaker-diarization');
    if (!diarization) throw new Error('no diarization');
    const named = await oneRun(diarization, { messages: messages.map(({ payload }) => payload), schema: messages[0]?.payloadSchema ?? '' });
    const turns = payloads(named.messages.filter(({ payloadSchema }) => payloadSchema.endsWith('TranscriptionResponseDto')));
    const speakers = turns.flatMap(({ words }) => words.map(({ metadata }) => metadata.speakers));
    expect(new Set(speakers.map(String))).toEqual(new Set(['A', 'B']));
    expect(speakers.slice(0, 10).every((one) => String(one) === 'A')).toBe(true);
  });

  test('refuses at the upload what it cannot do, and names the command that helps', async () => {
    const processor = transcriber();
    expect(await processor.unavailable({})).toBeNull();
    expect(await processor.unavailable({ language: 'en-GB' })).toBeNull();
    expect(await processor.unavailable({ language: ['en', 'de'] })).toContain('npx tributary models pull base');
    expect(await processor.unavailable({ model: 'small' })).toBe(
      'The model "small" is not installed. Run "npx tributary models pull small" on the server.',
    );
    expect(await transcriber('romanian-transcriber').unavailable({})).toContain('npx tributary models pull base');
  });
});
