import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silence, speech, speechEngineIsHere } from '../speech.ts';
import { call, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';

const speaks = await speechEngineIsHere();

let server: RunningServer;
beforeAll(async () => {
  // Without Whisper models, even if the machine has some.
  server = await startServer({ environment: { MODELS_DIR: '/nonexistent/models' } });
});
afterAll(() => server.kill());

const exported = async (streamId: string, format: string, query = '') =>
  call(server.url, `/export-service/api/v1/export/${format}?streams=${streamId}${query}`);

describe('text intelligence', () => {
  const TEXT = 'I love this wonderful product. The delivery was terrible and awful. It arrived on Monday.';

  test('produces summary, answers and sentiment, with their cost', async () => {
    const query = {
      streamConfigurationTemplateId: TEXT_TEMPLATE,
      persist: 'true',
      summary: 'true',
      sentimentAnalysis: 'true',
      ask0: 'When did it arrive?',
    };
    const { body: stream } = await upload(server.url, query, TEXT);
    const { body, status } = await exported(stream.streamId, 'JSON');
    expect(status).toBe(200);
    expect(body.summary.content.length).toBeGreaterThan(0);
    expect(body.askAnything['0']).toMatchObject({ promptId: '0', responseFormatSpecification: null });
    expect(body.askAnything['0'].content).toContain('Monday');
    expect(body.sentimentAnalysis.segments.map(({ sentiment }: { sentiment: string }) => sentiment)).toEqual([
      'positive',
      'negative',
      'neutral',
    ]);
    expect(body.sentimentAnalysis.summary).toMatchObject({ positiveCount: 1, negativeCount: 1, neutralCount: 1 });
    expect(body.sentimentAnalysis.summary).not.toHaveProperty('channels');
    expect(body).not.toHaveProperty('transcription');

    const usage = await call(server.url, `/usage-service/api/v1/usage/streams/${stream.streamId}`);
    expect(usage.body).toMatchObject({ streamId: stream.streamId, currency: null });
    expect(usage.body.processors[0]).toMatchObject({
      processorId: 'llm',
      operationType: 'LLM_PROCESSING',
      finalUsage: true,
      errorOccurred: false,
    });
    expect(usage.body.processors[0].credits).toMatch(/^\d+(\.\d+)?$/);
    expect((await call(server.url, `/usage-service/api/v1/usage/streams/${stream.streamId}?currency=USD`)).body.currency).toBe('USD');
    const unknown = await call(server.url, `/usage-service/api/v1/usage/streams/${stream.streamId}?currency=XXX`);
    expect([unknown.status, unknown.body.internalErrorName]).toEqual([400, 'CURRENCY_ERROR']);
  });

  test('completes with a description if no prompt is enabled', async () => {
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true' }, TEXT);
    expect((await streamEnd(server.url, stream.streamId)).stateDescription).toBeNull();
    const { body } = await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/components`);
    expect(body.processors).toMatchObject([{ processorId: 'llm', state: 'COMPLETED', stateDescription: 'Stream has no prompt enabled' }]);
  });

  test('fails with a processor ERROR if the bytes are not UTF-8', async () => {
    const { body: stream } = await upload(
      server.url,
      { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' },
      Buffer.from([0xff, 0xfe, 0x00, 0xc3]),
    );
    expect(await streamEnd(server.url, stream.streamId)).toMatchObject({ state: 'FAILED' });
  });

  test('exports nothing without persist: 204', async () => {
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' }, TEXT);
    expect((await exported(stream.streamId, 'JSON')).status).toBe(204);
  });
});

describe('enhanced transcription without LLM_URL', () => {
  test('is refused as an unavailable feature', async () => {
    const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, enhancedTranscription: 'true' };
    const { status, body } = await upload(server.url, query, 'x');
    expect([status, body.internalErrorName]).toEqual([400, 'PROCESSOR_FEATURE_ERROR']);
  });
});

describe('a transcriber without a suitable engine', () => {
  test('refuses another language with 503 and the setting to change', async () => {
    const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, language: 'ro' };
    const { status, body } = await upload(server.url, query, 'x');
    expect([status, body.internalErrorName]).toEqual([503, 'PROCESSOR_FAILED_RESERVATION_ERROR']);
    expect(body.message).toContain('TRANSCRIBER_URL');
  });

  test.each([
    ['Romanian', '678e26e695f8f5742e8718f4', speaks ? 'npx tributary models pull base' : 'npm run setup'],
    ['Romanian with diarization', '678e375095f8f5742e8718f5', speaks ? 'npx tributary models pull base' : 'npm run setup'],
  ])('refuses %s with 503 and the setting to change', async (_, streamConfigurationTemplateId, setting) => {
    const { status, body } = await upload(server.url, { streamConfigurationTemplateId }, 'x');
    expect([status, body.internalErrorName]).toEqual([503, 'PROCESSOR_FAILED_RESERVATION_ERROR']);
    expect(body.message).toContain(setting);
  });

  test('refuses three speakers by channel, and contradictory numbers of speakers', async () => {
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, splitStereo: 'true' };
    expect((await upload(server.url, { ...query, speakersNumber: '3' }, 'x')).status).toBe(503);
    const contradiction = await upload(server.url, { ...query, minSpeakersNumber: '2', maxSpeakersNumber: '1' }, 'x');
    expect([contradiction.status, contradiction.body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
  });
});

describe.skipIf(!speaks)('speech with the local engines', { timeout: 120_000 }, () => {
  test("produces a readable transcript, with the engine's name in the export", async () => {
    const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', summary: 'true' };
    const { body: stream } = await upload(server.url, query, await speech([[{ text: 'hello world. this is a test.' }]]));
    expect((await exported(stream.streamId, 'TEXT')).text.toLowerCase().match(/[a-z]+/g)).toEqual([
      'hello',
      'world',
      'this',
      'is',
      'a',
      'test',
    ]);
    const { body } = await exported(stream.streamId, 'JSON');
    expect(body.metadata).toMatchObject({
      transcriber: { engine: 'moonshine-voice 0.0.62', model: 'moonshine-tiny-en', language: 'en', wordTimes: 'estimated' },
      llm: { engine: 'extractive' },
    });
    expect((await exported(stream.streamId, 'SRT')).text).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nHello/);
  });

  test('completes for silence without words, and its text and captions are empty', async () => {
    const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
    const { body: stream } = await upload(server.url, query, silence(2_000));
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
    for (const [format, text] of [
      ['TEXT', ''],
      ['SRT', ''],
      ['VTT', 'WEBVTT\n'],
    ] as const)
      expect(await exported(stream.streamId, format)).toMatchObject({ status: 200, text });
  });

  test('distinguishes the speakers of a mixed recording', async () => {
    const said = [
      { text: 'hello, thank you for calling. how can i help you today?' },
      { text: 'i have a question about my invoice from last month.', voice: 'rms' as const, after: 600 },
    ];
    const { body: stream } = await upload(
      server.url,
      { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, persist: 'true' },
      await speech([said]),
    );
    const { text } = await exported(stream.streamId, 'TEXT');
    expect(text).toMatch(/^Speaker A: Hello[\s\S]*\nSpeaker B: /);
    const { body } = await exported(stream.streamId, 'JSON');
    expect(body.metadata.transcriber).toMatchObject({ engine: 'moonshine-voice 0.0.62' });
  });

  test('names the channel that speaks', async () => {
    const stereo = await speech([[{ text: 'hello' }], [{ text: 'goodbye', voice: 'rms', after: 2500 }]]);
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, persist: 'true', splitStereo: 'true' };
    const { body: stream } = await upload(server.url, query, stereo);
    const { text } = await exported(stream.streamId, 'TEXT');
    expect(text).toMatch(/^Speaker A: .+\nSpeaker B: /);
  });
});
