import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/clock.ts';
import { BESIDE_OTHERS, eventually } from '../eventually.ts';
import { silence, speech, speechEngineIsHere } from '../speech.ts';
import { call, streamEnd, upload } from './client.ts';
import { readLive } from './live.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';
const BARE = { encoding: 'linear16', sampleRate: '16000', channels: '1' };

let server: RunningServer;
beforeAll(async () => {
  // Without Whisper models, even if the machine has some.
  server = await startServer({ environment: { MODELS_DIR: '/nonexistent/models' } });
});
afterAll(() => server.kill());

const samplesOf = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data') + 8);

const speak = (query: Record<string, string>) => {
  const parameters = new URLSearchParams({ streamConfigurationTemplateId: LIVE_TEMPLATE, ...BARE, ...query });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${parameters}`, {
    headers: { authorization: `Basic ${ADMIN_KEY}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
  const messages: any[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const next = (type: string) => eventually(() => messages.find((message) => message.type === type));
  return { socket, messages, closed, next };
};

describe.skipIf(!(await speechEngineIsHere()))('live speech', { timeout: 120_000 }, () => {
  test('is transcribed while the session is open, and can be exported afterwards', async () => {
    const client = speak({ persist: 'true', utteranceEnd: '500', summary: 'true' });
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(samplesOf(await speech([[{ text: 'hello and welcome' }]])));
    client.socket.send(samplesOf(silence(3_000)));
    const { response } = await eventually(() => client.messages.find(({ response: one }) => one?.frameType === 'final'), 60_000);
    expect(response).toMatchObject({ processorId: 'transcriber', frameType: 'final', sequenceId: 0, payload: { utterance: true } });
    // Clients of the hosted service compare this name literally.
    expect(response.payloadSchema).toBe('tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto');
    expect(response.payload.transcription).toContain('welcome');
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    expect(client.messages.some(({ response: one }) => one?.processorId === 'llm')).toBe(true);
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
    const { body } = await call(server.url, `/export-service/api/v1/export/JSON?streams=${stream.streamId}`);
    expect(body.transcription.text).toBe(response.payload.transcription);
  });

  test('is redacted while the session is open, without partial results', async () => {
    const client = speak({ utteranceEnd: '500', redactPatterns: '(?i)wel[a-z]*', vocabulary: 'office', language: 'auto' });
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(samplesOf(await speech([[{ text: 'hello and welcome to our office' }]])));
    client.socket.send(samplesOf(silence(3_000)));
    const { response } = await eventually(() => client.messages.find(({ type }) => type === 'RESPONSE'), 60_000);
    expect(response).toMatchObject({ processorId: 'redaction', frameType: 'final', payload: { metadata: { language: 'en' } } });
    expect(response.payload.transcription).toContain('and [CUSTOM] to');
    expect(response.payload.metadata.warnings).toMatchObject([{ code: 'VOCABULARY_IGNORED' }]);
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    expect(JSON.stringify(client.messages)).not.toMatch(/welcome/i);
    const { body } = await call(server.url, `/stream-service/api/v1/streams?size=1`);
    expect([(await streamEnd(server.url, stream.streamId)).state, body.content[0].warnings]).toEqual(['COMPLETED', ['VOCABULARY_IGNORED']]);
  });

  test('is sent to a live reader over HTTP as well', async () => {
    const client = speak({});
    const { stream } = await client.next('STREAM_METADATA');
    const reader = readLive(server.url, `streams=${stream.streamId}&acceptFrameType=final`);
    client.socket.send(samplesOf(await speech([[{ text: 'hello and welcome' }]])));
    client.socket.send(samplesOf(silence(3_000)));
    await eventually(() => reader.messages().length > 0, 60_000);
    expect(reader.messages()[0].payload.transcription).toContain('welcome');
    client.socket.close();
    await reader.done;
  });

  test('gives partial results during speech, unless the session asks for final ones only', async () => {
    const heard = async (query: Record<string, string>) => {
      const client = speak(query);
      await client.next('STREAM_METADATA');
      const samples = Buffer.concat([samplesOf(await speech([[{ text: 'hello and welcome to our office' }]])), samplesOf(silence(1_500))]);
      for (let at = 0; at < samples.byteLength; at += 3_200) {
        client.socket.send(samples.subarray(at, at + 3_200));
        await systemClock.pause(100);
      }
      client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
      await client.closed;
      return client.messages.filter(({ type }) => type === 'RESPONSE').map(({ response }) => response);
    };
    const both = await heard({});
    expect(both[0]).toMatchObject({ frameType: 'partial', sequenceId: 0 });
    expect(both.at(-1)).toMatchObject({ frameType: 'final', sequenceId: 0 });
    const finals = await heard({ acceptFrameType: 'final' });
    expect(finals).toMatchObject([{ frameType: 'final', sequenceId: 0 }]);
  });

  test('ends within a second when cancelled', async () => {
    const client = speak({});
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(samplesOf(await speech([[{ text: 'hello and welcome' }]])));
    const asked = performance.now();
    await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/cancel`, { method: 'PUT' });
    await client.closed;
    expect(performance.now() - asked).toBeLessThan(1_000 * BESIDE_OTHERS);
  });

  test('completes an empty session without an engine', async () => {
    const client = speak({});
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });

  test('fails the stream with a reason if the data is not audio', async () => {
    const query = { streamConfigurationTemplateId: LIVE_TEMPLATE };
    const { body } = await upload(server.url, query, 'no audio at all');
    expect(await streamEnd(server.url, body.streamId)).toMatchObject({ state: 'FAILED' });
  });

  test.each([
    ['another language', { language: 'ro' }, 'npx tributary models pull base'],
    ['multichannel without channels', { multichannel: 'true' }, 'channels=2'],
  ])('with %s is refused with 503 and the missing part', async (_, query, said) => {
    const { status, body } = await upload(server.url, { streamConfigurationTemplateId: LIVE_TEMPLATE, ...query }, 'x');
    expect([status, body.internalErrorName]).toEqual([503, 'PROCESSOR_FAILED_RESERVATION_ERROR']);
    expect(body.message).toContain(said);
  });
});
