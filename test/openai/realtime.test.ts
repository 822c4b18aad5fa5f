import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { call, streamEnd } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../fakes/certificate.ts';
import { type LiveRig, startLiveRig } from './liveRig.ts';

let rig: LiveRig;
beforeAll(async () => {
  rig = await startLiveRig();
});
afterAll(() => rig.stop());

// biome-ignore lint/suspicious/noExplicitAny: events are checked by assertions
type Event = any;

interface Session {
  readonly socket: WebSocket;
  readonly events: Event[];
  readonly streamId: string;
  send(event: object): void;
  /** The first event of a type, once it has arrived. */
  event(type: string): Promise<Event>;
}

const open = async (
  query = '?intent=transcription',
  protocols: string[] = [],
  headers = { authorization: `Bearer ${ADMIN_KEY}` },
): Promise<Session> => {
  const socket = new WebSocket(`${rig.url.replace('http', 'ws')}/v1/realtime${query}`, protocols, { headers });
  onTestFinished(() => socket.close());
  const events: Event[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  let streamId = '';
  socket.on('upgrade', (response) => {
    streamId = String(response.headers['x-stream-id']);
  });
  await once(socket, 'open');
  return {
    ...{ socket, events, streamId },
    send: (event) => socket.send(JSON.stringify(event)),
    event: (type) => eventually(() => events.find((one) => one.type === type)),
  };
};

/** 16-bit samples: `loud` milliseconds of sound, then `quiet` of silence. */
const pcm = (loud: number, quiet: number, rate = 24_000): Buffer => {
  const samples = new Int16Array(((loud + quiet) * rate) / 1_000);
  samples.fill(4_000, 0, (loud * rate) / 1_000);
  return Buffer.from(samples.buffer);
};
const append = (audio: Buffer) => ({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
const typesOf = ({ events }: Session): string[] => events.map(({ type }) => type);
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

describe('a session with turn detection', () => {
  test('sends the events of each utterance in order', async () => {
    const session = await open();
    session.send(append(pcm(600, 1_000)));
    session.send(append(pcm(400, 1_000)));
    await eventually(() => session.events.filter(({ type }) => type === `${TRANSCRIPTION}.completed`).length === 2);
    const utterance = ['speech_started', 'speech_stopped', 'committed'].map((name) => `input_audio_buffer.${name}`);
    const turn = [...utterance, `${TRANSCRIPTION}.delta`, `${TRANSCRIPTION}.completed`];
    expect(typesOf(session)).toEqual(['session.created', ...turn, ...turn]);
    const [, started, stopped, committed, delta, completed, , , second] = session.events;
    expect([started.audio_start_ms, stopped.audio_end_ms]).toEqual([0, 600]);
    expect(new Set([started, stopped, committed, delta, completed].map(({ item_id }) => item_id)).size).toBe(1);
    expect([delta.delta, completed.transcript, completed.usage]).toEqual(['Word 1.', 'Word 1.', { type: 'duration', seconds: 0.6 }]);
    expect([committed.previous_item_id, second.previous_item_id]).toEqual([null, committed.item_id]);
    expect(new Set(session.events.map(({ event_id }) => event_id)).size).toBe(session.events.length);
  });

  test('ends utterances at pauses with semantic_vad, and begins them earlier by prefix_padding_ms', async () => {
    const session = await open();
    session.send({
      type: 'session.update',
      session: { audio: { input: { turn_detection: { type: 'semantic_vad', eagerness: 'high' } } } },
    });
    const updated = await session.event('session.updated');
    expect(updated.session.audio.input.turn_detection).toEqual({ type: 'semantic_vad', eagerness: 'high' });
    session.send(append(pcm(600, 1_000)));
    expect((await session.event(`${TRANSCRIPTION}.completed`)).transcript).toBe('Word 1.');
    expect(rig.runs.at(-1)).toMatchObject({ utteranceEndSilence: 500 });

    const padded = await open();
    padded.send({ type: 'transcription_session.update', session: { turn_detection: { type: 'server_vad', prefix_padding_ms: 100 } } });
    expect((await padded.event('transcription_session.updated')).session.turn_detection).toMatchObject({ prefix_padding_ms: 100 });
    padded.send(append(pcm(0, 1_000)));
    padded.send(append(pcm(600, 1_000)));
    const { audio_start_ms: start } = await padded.event('input_audio_buffer.speech_started');
    expect(start).toBe(900);
  });

  test('keeps at most some text for a client that does not read', async () => {
    const session = await open();
    const transcription = { prompt: 'long 500000' };
    session.send({ type: 'session.update', session: { type: 'transcription', audio: { input: { transcription } } } });
    await session.event('session.updated');
    session.socket.pause();
    const connection = rig.connections.at(-1);
    let unread = 0;
    const look = setInterval(() => {
      unread = Math.max(unread, connection?.writableLength ?? 0);
    }, 1);
    // Each word is sent twice: 40 MB, and the sockets' buffers in the kernel hold some of them.
    for (let n = 0; n < 40; n += 1) session.send(append(pcm(100, 600)));
    await eventually(() => unread > 1_000_000);
    // Nothing signals that no more text comes. If nothing held it back, all of it would come within this second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    clearInterval(look);
    expect(unread).toBeLessThan(4_000_000);
    session.socket.resume();
    await eventually(() => session.events.filter(({ type }) => type === `${TRANSCRIPTION}.completed`).length === 40);
  });

  test('is one stream of the real-time template, which completes when the client leaves', async () => {
    const session = await open();
    session.send(append(pcm(600, 1_000)));
    await session.event(`${TRANSCRIPTION}.completed`);
    session.send(append(pcm(600, 1_000)));
    session.socket.close();
    const stream = await streamEnd(rig.url, session.streamId);
    expect([stream.state, stream.configuration.streamConfigurationTemplateId]).toEqual(['COMPLETED', '670ba9e0efa59fe6aecd56f1']);
  });

  test('makes no stream when no audio is sent', async () => {
    const session = await open();
    session.socket.close();
    await once(session.socket, 'close');
    expect((await call(rig.url, `/stream-service/api/v1/streams/${session.streamId}`)).status).toBe(404);
  });

  test('ends the utterance at a commit', async () => {
    const session = await open();
    session.send(append(pcm(600, 0)));
    session.send({ type: 'input_audio_buffer.commit' });
    expect((await session.event(`${TRANSCRIPTION}.completed`)).transcript).toBe('Word 1.');
  });

  test('refuses a second commit of the same audio', async () => {
    const session = await open();
    session.send(append(pcm(100, 0)));
    session.send({ type: 'input_audio_buffer.commit' });
    session.send({ type: 'input_audio_buffer.commit', event_id: 'second' });
    expect((await session.event('error')).error).toMatchObject({ code: 'input_audio_buffer_commit_empty', event_id: 'second' });
  });

  test('accepts consecutive short messages that each decode to seconds of audio', async () => {
    const session = await open();
    session.send({ type: 'session.update', session: { turn_detection: { type: 'server_vad', silence_duration_ms: 5_000 } } });
    await session.event('session.updated');
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 5);
    onTestFinished(() => clearInterval(look));
    // Each pair makes 0.26 MB; all of them arrive in one read of the socket.
    const pairs = 1_000;
    const events = Array.from({ length: pairs }, () => [append(pcm(0, 1)), { type: 'input_audio_buffer.commit' }]).flat();
    for (const event of events) session.send(event);
    session.send({ type: 'session.update', session: {} });
    await eventually(() => session.events.filter(({ type }) => type === 'session.updated').length === 2, 60_000);
    expect(most).toBeLessThan(200_000_000);
    expect(typesOf(session)).not.toContain('error');
  }, 90_000);
});

describe('a session without turn detection', () => {
  const manual = { type: 'session.update', session: { type: 'transcription', audio: { input: { turn_detection: null } } } };

  test('holds the audio until it is committed, and creates an item for each commit', async () => {
    const session = await open();
    session.send(manual);
    session.send(append(pcm(600, 2_000)));
    session.send(append(pcm(400, 0)));
    await session.event('session.updated');
    session.send({ type: 'input_audio_buffer.commit' });
    const completed = await session.event(`${TRANSCRIPTION}.completed`);
    expect(completed).toMatchObject({ transcript: 'Word 1. Word 2.', usage: { type: 'duration', seconds: 3 } });
    expect(typesOf(session).slice(2)).toEqual([
      'input_audio_buffer.committed',
      `${TRANSCRIPTION}.delta`,
      `${TRANSCRIPTION}.delta`,
      `${TRANSCRIPTION}.completed`,
    ]);
    const deltas = session.events.flatMap(({ delta }) => delta ?? []);
    expect(deltas.join('')).toBe(completed.transcript);
  });

  test('drops the audio at a clear, and refuses an empty commit', async () => {
    const session = await open();
    session.send(manual);
    session.send(append(pcm(600, 0)));
    session.send({ type: 'input_audio_buffer.clear' });
    await session.event('input_audio_buffer.cleared');
    session.send({ type: 'input_audio_buffer.commit', event_id: 'mine' });
    expect((await session.event('error')).error).toMatchObject({ code: 'input_audio_buffer_commit_empty', event_id: 'mine' });
  });

  test('completes an item of silence without text', async () => {
    const session = await open();
    session.send(manual);
    session.send(append(pcm(0, 500)));
    session.send({ type: 'input_audio_buffer.commit' });
    expect((await session.event(`${TRANSCRIPTION}.completed`)).transcript).toBe('');
  });

  test('holds at most 15 MiB', async () => {
    const session = await open();
    session.send(manual);
    for (const bytes of [8, 7].map((mebibytes) => Buffer.alloc(mebibytes * 1024 * 1024))) session.send(append(bytes));
    session.send(append(Buffer.alloc(2)));
    expect((await session.event('error')).error.code).toBe('input_audio_buffer_full');
    session.send({ type: 'input_audio_buffer.clear' });
    session.send(append(Buffer.alloc(2)));
    await session.event('input_audio_buffer.cleared');
    expect(session.events.filter(({ type }) => type === 'error')).toHaveLength(1);
  });

  test('keeps its turn detection while it holds audio', async () => {
    const session = await open();
    session.send(manual);
    session.send(append(pcm(100, 0)));
    session.send({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
    expect((await session.event('error')).error.param).toBe('session');
  });
});

test('a session whose audio finds no room in the memory of its user is closed with 1013', async () => {
  const small = await startLiveRig({ MEMORY_PER_USER_MIB: '8' });
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const socket = new WebSocket(`${small.url.replace('http', 'ws')}/v1/realtime?intent=transcription`, { headers });
  await once(socket, 'open');
  const events: Event[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ type: 'session.update', session: { turn_detection: null } }));
  for (let n = 0; n < 6; n += 1) socket.send(JSON.stringify(append(Buffer.alloc(1_500_000))));
  expect((await closed)[0]).toBe(1013);
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'rate_limit_exceeded' } });
  await small.stop();
});

describe('the settings of a session', () => {
  test.each([
    ['audio/pcm', 24_000, { audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } }],
    ['audio/pcmu', 8_000, { audio: { input: { format: { type: 'audio/pcmu' } } } }],
    ['audio/pcma', 8_000, { audio: { input: { format: { type: 'audio/pcma' } } } }],
  ])('accept the format %s and pass on language and pause', async (type, sampleRate, session) => {
    const { audio } = session;
    const more = {
      // Of several candidates, the template's language is heard.
      transcription: {
        languages: type === 'audio/pcma' ? ['de', 'en'] : ['en'],
        prompt: 'A call.',
        keywords: ['Kurrent'],
        model: 'gpt-live-transcribe',
      },
      turn_detection: { type: 'server_vad', silence_duration_ms: 300 },
    };
    const opened = await open();
    opened.send({ type: 'session.update', session: { type: 'transcription', audio: { input: { ...audio.input, ...more } } } });
    const updated = await opened.event('session.updated');
    expect(updated.session.audio.input).toMatchObject({ format: { type }, transcription: { keywords: ['Kurrent'] } });
    // A loud sample in each form, then silence.
    const loud = { 'audio/pcm': Buffer.from([0xa0, 0x0f]), 'audio/pcmu': Buffer.from([0xa0]), 'audio/pcma': Buffer.from([0x8a]) }[type];
    const quiet = { 'audio/pcm': Buffer.from([0, 0]), 'audio/pcmu': Buffer.from([0xff]), 'audio/pcma': Buffer.from([0xd5]) }[type];
    if (!loud || !quiet) throw new Error('no samples');
    opened.send(
      append(Buffer.concat([Buffer.alloc(loud.length * sampleRate * 0.5, loud), Buffer.alloc(quiet.length * sampleRate, quiet)])),
    );
    expect((await opened.event(`${TRANSCRIPTION}.completed`)).transcript).toBe('Word 1.');
    const properties = { language: 'en', vocabulary: 'A call., Kurrent', utteranceEndSilence: 300 };
    expect(rig.runs.at(-1)).toMatchObject({ sampleRate, encoding: 'linear16', channels: 1, ...properties });
  });

  test('are accepted under their older names', async () => {
    const session = await open();
    const older = {
      input_audio_format: 'g711_ulaw',
      input_audio_transcription: { model: 'whisper-1', language: 'en' },
      turn_detection: null,
    };
    session.send({ type: 'transcription_session.update', session: older });
    const { session: shown } = await session.event('transcription_session.updated');
    expect(shown).toMatchObject({ input_audio_format: 'g711_ulaw', input_audio_transcription: { language: 'en' }, turn_detection: null });
  });

  test.each([
    ['session.audio.input.format', { audio: { input: { format: { type: 'audio/opus' } } } }],
    ['session.audio.input.format.rate', { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } }],
    ['session.audio.input.turn_detection.type', { audio: { input: { turn_detection: { type: 'manual_vad' } } } }],
    ['session.audio.input.transcription.language', { audio: { input: { transcription: { language: 7 } } } }],
    ['model', { audio: { input: { transcription: { model: 'no-such-model' } } } }],
    ['session.audio.input.transcription', { audio: { input: { transcription: 'gpt-live-transcribe' } } }],
    ['session.audio.input.noise_reduction.type', { audio: { input: { noise_reduction: { type: 'wind' } } } }],
    ['session.audio.input.noise_reduction.type', { input_audio_noise_reduction: { type: 'wind' } }],
    ['session.include', { include: ['item.secrets'] }],
    ['session', 'text'],
  ])('are refused with the name of an invalid %s', async (param, update) => {
    const session = await open();
    session.send({ type: 'session.update', session: update });
    expect((await session.event('error')).error).toMatchObject({ type: 'invalid_request_error', param });
  });

  test('are fixed once audio was sent', async () => {
    const session = await open();
    session.send(append(pcm(100, 0)));
    session.send({ type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcmu' } } } } });
    expect((await session.event('error')).error.param).toBe('session');
  });
});

describe('an invalid event', () => {
  test.each([
    [{ type: 'response.create' }, 'unsupported_operation'],
    [{ type: 'conversation.item.create', item: {} }, 'unsupported_operation'],
    [{ type: 'session.update', session: { type: 'realtime' } }, 'unsupported_operation'],
    [{ type: 'no.such.type' }, 'invalid_value'],
    [{ type: 'input_audio_buffer.append', audio: '***' }, 'invalid_value'],
  ])('is an error event, and the session continues: %j', async (message, code) => {
    const session = await open();
    session.send({ ...message, event_id: 'mine' });
    expect((await session.event('error')).error).toMatchObject({ code, event_id: 'mine' });
    session.send({ type: 'session.update', session: {} });
    await session.event('session.updated');
  });

  test('may be malformed JSON or a binary message', async () => {
    const session = await open();
    session.socket.send('{');
    session.socket.send(Buffer.from([1, 2]));
    await eventually(() => typesOf(session).filter((type) => type === 'error').length === 2);
  });
});

test('reports a failing engine in the open item and as an error', async () => {
  const session = await open();
  session.send({ type: 'session.update', session: { audio: { input: { turn_detection: null } } } });
  session.send(append(Buffer.alloc(48_000, Buffer.from([0xff, 0x7f]))));
  session.send({ type: 'input_audio_buffer.commit' });
  await once(session.socket, 'close');
  expect(typesOf(session).slice(-2)).toEqual([`${TRANSCRIPTION}.failed`, 'error']);
});

describe('the handshake', () => {
  const refused = async (query: string, headers: Record<string, string>) => {
    const socket = new WebSocket(`${rig.url.replace('http', 'ws')}/v1/realtime${query}`, { headers });
    const [, response] = await once(socket, 'unexpected-response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
  };
  const key = { authorization: `Bearer ${ADMIN_KEY}` };

  test('accepts the key as a subprotocol and echoes only realtime', async () => {
    const session = await open(
      '?model=gpt-realtime',
      ['realtime', `openai-insecure-api-key.${ADMIN_KEY}`],
      {} as { authorization: string },
    );
    expect(session.socket.protocol).toBe('realtime');
    await session.event('session.created');
  });

  test("refuses a wrong key, an unknown model and another kind of session in OpenAI's error shape", async () => {
    expect(await refused('?intent=transcription', { authorization: 'Bearer wrong' })).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_api_key' } },
    });
    expect(await refused('?model=no-such-model', key)).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    expect(await refused('?intent=conversation', key)).toMatchObject({ status: 400, body: { error: { param: 'intent' } } });
  });

  test('is 426 without an upgrade', async () => {
    const { status, body, headers } = await call(rig.url, '/v1/realtime?intent=transcription');
    expect([status, body.error.type, headers.get('upgrade')]).toEqual([426, 'invalid_request_error', 'websocket']);
  });
});

describe('a client secret', () => {
  const official = () => new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const input = { transcription: { language: 'de' }, turn_detection: { type: 'semantic_vad' as const, eagerness: 'low' as const } };

  test('opens sessions that begin with its settings, as a header and as a subprotocol', async () => {
    const session = { type: 'transcription' as const, audio: { input } };
    const { value, expires_at: expires } = await official().realtime.clientSecrets.create({ session });
    expect(expires - Date.now() / 1_000).toBeGreaterThan(590);
    const protocols = ['realtime', `openai-insecure-api-key.${value}`];
    for (const opened of [await open('', [], bearer(value)), await open('', protocols, {} as { authorization: string })]) {
      const { session: shown } = await opened.event('session.created');
      expect(shown.audio.input).toMatchObject({ transcription: { language: 'de' }, turn_detection: input.turn_detection });
    }
  });

  test('comes with an older session too', async () => {
    const body = {
      input_audio_format: 'g711_ulaw',
      turn_detection: null,
      client_secret: { expires_after: { anchor: 'CREATED_AT', seconds: 60 } },
    };
    const made = await call(rig.url, '/v1/realtime/transcription_sessions', { method: 'POST', body });
    expect(made.body).toMatchObject({ input_audio_format: 'g711_ulaw', turn_detection: null });
    const opened = await open('?intent=transcription', [], bearer(made.body.client_secret.value));
    expect((await opened.event('session.created')).session.audio.input.format).toEqual({ type: 'audio/pcmu' });
    const refused = await call(rig.url, '/v1/realtime/transcription_sessions', { method: 'POST', body: { client_secret: 60 } });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'client_secret']);
  });

  test('is for realtime sessions only, and ends with its credential', async () => {
    const credentials = '/credential-service/api/v1/credentials';
    const person = (await call(rig.url, credentials, { method: 'POST', body: { kind: 'api-key', label: 'ana', role: 'user' } })).body;
    const secrets = '/v1/realtime/client_secrets';
    const { value } = (await call(rig.url, secrets, { method: 'POST', key: person.secret, body: {} })).body;
    for (const [path, method] of [
      ['/v1/models', 'GET'],
      [secrets, 'POST'],
      ['/stream-service/api/v1/streams', 'GET'],
    ] as const)
      expect((await call(rig.url, path, { method, key: null, headers: bearer(value) })).status).toBe(401);
    await (await open('', [], bearer(value))).event('session.created');
    await call(rig.url, `${credentials}/${person.id}`, { method: 'DELETE' });
    const socket = new WebSocket(`${rig.url.replace('http', 'ws')}/v1/realtime`, { headers: bearer(value) });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(401);
  });

  test.each([
    [{ expires_after: { seconds: 9 } }, 'expires_after.seconds'],
    [{ expires_after: { seconds: 7_201 } }, 'expires_after.seconds'],
    [{ expires_after: { anchor: 'now' } }, 'expires_after.anchor'],
    [{ expires_after: 60 }, 'expires_after'],
    [{ session: { audio: { input: { turn_detection: { type: 'none' } } } } }, 'session.audio.input.turn_detection.type'],
  ])('is refused for %j by name', async (body, param) => {
    const { status, body: answer } = await call(rig.url, '/v1/realtime/client_secrets', { method: 'POST', body });
    expect([status, answer.error.param]).toEqual([400, param]);
  });
});

describe('the npm client behind a TLS proxy', () => {
  let proxy: ReturnType<typeof createServer>;
  beforeAll(async () => {
    const { hostname, port } = new URL(rig.url);
    proxy = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
      const upstream = connect(Number(port), hostname);
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(() => proxy.close());

  test.each([{ intent: 'transcription' as const }, { model: 'gpt-4o-transcribe' }])('transcribes with %j', async (connection) => {
    const address = proxy.address();
    if (typeof address !== 'object' || !address) throw new Error('no address');
    const client = new OpenAI({ baseURL: `https://127.0.0.1:${address.port}/v1`, apiKey: ADMIN_KEY });
    const realtime = new OpenAIRealtimeWS({ ...connection, options: { rejectUnauthorized: false } }, client);
    onTestFinished(() => realtime.close());
    const failures: Error[] = [];
    realtime.on('error', (error) => failures.push(error));
    const transcripts: string[] = [];
    realtime.on('conversation.item.input_audio_transcription.completed', ({ transcript }) => transcripts.push(transcript));
    await once(realtime.socket, 'open');
    realtime.send({ type: 'session.update', session: { type: 'transcription', audio: { input: { transcription: { language: 'en' } } } } });
    realtime.send({ type: 'input_audio_buffer.append', audio: pcm(500, 1_000).toString('base64') });
    await eventually(() => transcripts.length === 1);
    expect([transcripts, failures]).toEqual([['Word 1.'], []]);
  });
});
