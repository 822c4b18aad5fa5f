import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, getStream, streamEnd } from '../e2e/client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from '../e2e/server.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { clientOf, HEARD, recording, TEXT } from './speechStub.ts';

let engine: StubEngine;
let server: RunningServer;
let openai: OpenAI;
beforeAll(async () => {
  engine = await startStubEngine();
  server = await startServer({ environment: { TRANSCRIBER_URL: engine.url, MAX_CONCURRENT_STREAMS: '1', OPENAI_MAX_WAIT_MS: '1500' } });
  openai = clientOf(server.url);
});
afterAll(async () => {
  await server.kill();
  await engine.close();
});
beforeEach(() => {
  engine.reset();
  engine.always({ body: HEARD });
});

/** The engine answers when the returned function is called. */
const engineThatWaits = (): (() => void) => {
  let hear = (): void => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  engine.always(async () => {
    await heard;
    return { body: HEARD };
  });
  return hear;
};

const refusal = async (answer: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
  const error = await Promise.resolve(answer).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error(`not refused: ${error}`);
  return error;
};
const create = (body: object = {}, client = openai) =>
  client.audio.transcriptions.create({ file: recording(), model: 'whisper-1', ...body });

describe("the OpenAI interface's credential", () => {
  test('may be an API key or an access token as Bearer', async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
    const token = await call(server.url, '/realms/tributary/protocol/openid-connect/token', { method: 'POST', body, key: null });
    expect((await create({}, clientOf(server.url, { apiKey: token.body.access_token }))).text).toBe(TEXT);
    expect((await create()).text).toBe(TEXT);
  });

  test('is an AuthenticationError of the client if it is wrong', async () => {
    const error = await refusal(create({}, clientOf(server.url, { apiKey: 'wrong' })));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error.error).toMatchObject({ type: 'invalid_request_error', param: null, code: 'invalid_api_key' });
  });
});

describe('a refusal', () => {
  test('names an unknown model', async () => {
    for (const model of ['whisper-9', 'Ping', '65f46430c6d8985974ff9c9d', '670ba9e0efa59fe6aecd56f1']) {
      const error = await refusal(create({ model }));
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect([error.code, error.param]).toEqual(['model_not_found', 'model']);
    }
  });

  test.each([
    ['file', { file: new File([], 'empty.wav') }],
    ['model', { model: '' }],
    ['response_format', { response_format: 'docx' }],
    ['temperature', { temperature: 2 }],
    ['prompt', { prompt: 'word '.repeat(1_000) }],
    ['timestamp_granularities', { timestamp_granularities: ['word'] }],
    ['timestamp_granularities', { timestamp_granularities: ['syllable'], response_format: 'verbose_json' }],
  ])('names the invalid field %s', async (param, body) => {
    const error = await refusal(create(body));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect([error.type, error.param]).toEqual(['invalid_request_error', param]);
  });

  test('says that a form has no file, or two', async () => {
    for (const files of [0, 2]) {
      const form = new FormData();
      form.append('model', 'whisper-1');
      for (let n = 0; n < files; n++) form.append('file', recording());
      const { status, body } = await call(server.url, '/v1/audio/transcriptions', { method: 'POST', body: form });
      expect([status, body.error.param]).toEqual([400, 'file']);
    }
  });

  test.each([
    ['many fields', Array.from({ length: 1_001 }, (_, n) => [`field${n}`, 'x'] as const), 'may have 1000 fields'],
    ['large fields', [['field', 'x'.repeat(262_145)]] as const, 'may have 262144 bytes'],
  ])('says how many fields a form may have, for %s after the file', async (_, fields, reason) => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', recording());
    for (const [name, value] of fields) form.append(name, value);
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const response = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message]).toEqual([413, expect.stringContaining(reason)]);
  });

  test("has the shape of OpenAI's errors on every path under /v1, and a request id", async () => {
    const unknown = await call(server.url, '/v1/chat/completions', { method: 'POST', body: {} });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'unknown_url']);
    const method = await call(server.url, '/v1/models', { method: 'DELETE' });
    expect([method.status, method.body.error.code, method.headers.get('allow')]).toEqual([
      405,
      'method_not_supported',
      'GET, HEAD, OPTIONS',
    ]);
    const type = await call(server.url, '/v1/audio/transcriptions', { method: 'POST', body: {} });
    expect([type.status, type.body.error.type]).toEqual([415, 'invalid_request_error']);
    for (const { headers } of [unknown, method, type]) expect(headers.get('x-request-id')).toMatch(/.+/);
    expect((await call(server.url, '/v2')).body.internalErrorName).toBe('GENERAL_NOT_FOUND_ERROR');
  });

  test('says that a recording cannot be transcribed and a retry will not help', async () => {
    engine.always({ status: 400, body: { error: { message: 'not audio' } } });
    const error = await refusal(create({}, clientOf(server.url, { maxRetries: 2 })));
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error.headers?.get('x-stream-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(engine.calls).toHaveLength(1);
  });
});

test('a request that times out gets 504 with the id of its stream, which continues, and is not repeated by the client', async () => {
  const hear = engineThatWaits();
  const error = await refusal(create({}, clientOf(server.url, { maxRetries: 2 })));
  expect(error.status).toBe(504);
  const streamId = error.headers?.get('x-stream-id') ?? '';
  expect(error.message).toContain(streamId);
  expect((await getStream(server.url, streamId)).body.state).toBe('READY');
  hear();
  expect((await streamEnd(server.url, streamId)).state).toBe('COMPLETED');
  expect(engine.calls).toHaveLength(1);
});

test('the client repeats a request after 429, and succeeds once a slot is free', async () => {
  const hear = engineThatWaits();
  const first = create();
  const tries: number[] = [];
  const counted = clientOf(server.url, {
    maxRetries: 5,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      // The client first calls itself with a data URL, to see whether `fetch` can send forms.
      if (!String(url).startsWith('http')) return response;
      tries.push(response.status);
      hear();
      return response;
    },
  });
  const limited = await refusal(
    (async () => {
      while (engine.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      return create();
    })(),
  );
  expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
  expect(Number(limited.headers?.get('retry-after'))).toBeGreaterThan(0);
  expect((await create({}, counted)).text).toBe(TEXT);
  expect(tries).toEqual([429, 200]);
  expect((await first).text).toBe(TEXT);
});

test('a full server answers 503 with the time to wait', async () => {
  const full = await startServer({ environment: { TRANSCRIBER_URL: engine.url, DISK_WATERMARK_BYTES: String(2 ** 50) } });
  const error = await refusal(create({}, clientOf(full.url)));
  expect(error).toBeInstanceOf(OpenAI.InternalServerError);
  expect([error.status, error.headers?.get('retry-after'), error.headers?.get('x-should-retry')]).toEqual([503, '30', null]);
});

test('a translation is 503 without a translating engine, and is not repeated by the client', async () => {
  const untranslated = await startServer({ environment: { MODELS_DIR: '/nonexistent/models' } });
  const error = await refusal(
    clientOf(untranslated.url, { maxRetries: 2 }).audio.translations.create({ file: recording(), model: 'whisper-1' }),
  );
  expect(error).toBeInstanceOf(OpenAI.InternalServerError);
  expect([error.status, error.code, error.headers?.get('x-should-retry')]).toEqual([503, 'service_unavailable', 'false']);
});

describe('the list of models', () => {
  test('contains the templates that can run here', async () => {
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        'whisper-1',
        'gpt-4o-transcribe',
        'gpt-4o-mini-transcribe',
        'gpt-4o-transcribe-diarize',
        'Romanian transcription',
      ]),
    );
    expect(ids).not.toContain('Ping');
    for (const id of ids) expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model', owned_by: 'tributary' });
    expect((await openai.models.retrieve('678e26e695f8f5742e8718f4')).id).toBe('678e26e695f8f5742e8718f4');
  });

  test('answers 404 for an unknown model', async () => {
    expect((await refusal(openai.models.retrieve('gpt-9'))).code).toBe('model_not_found');
  });
});
