import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { casesFor } from '../../src/cli/processor/cases.ts';
import { formOf, type SchemaChoice } from '../../src/cli/processor/forms.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { call, streamEnd, upload } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';
import { tributary } from './tributary.ts';

interface Asked {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Behaviour = (response: ServerResponse, request: IncomingMessage, body: Buffer) => void;

let server: RunningServer;
let fake: Server;
let address = '';
let behave: Behaviour;
let asked: Asked[] = [];
const lines = (response: ServerResponse, ...all: object[]) =>
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(all.map((line) => `${JSON.stringify(line)}\n`).join(''));
const echo: Behaviour = (response, _, body) => void lines(response, { progress: 0.5 }, { output: body.toString() }, { end: true });

beforeAll(async () => {
  fake = createServer({ maxHeaderSize: 1_048_576 }, async (request, response) => {
    response.on('error', () => undefined);
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    asked.push({ method: request.method ?? '', headers: request.headers, body: body.toString() });
    behave(response, request, body);
  }).listen(0, '127.0.0.1');
  await once(fake, 'listening');
  address = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ENGINE_RETRY_S: '4' } });
});
afterAll(async () => {
  fake.closeAllConnections();
  fake.close();
  await server.kill();
});
beforeEach(() => {
  asked = [];
  behave = echo;
});

const BASE = '/stream-configuration-service/api/v1';
const declare = (more: object = {}, query = '') =>
  call(server.url, `${BASE}/processor-declarations${query}`, {
    method: 'PUT',
    body: { name: 'mine', url: address, mode: 'batch', inputSchema: 'string', outputSchema: 'string', ...more },
  });
const template = (processors: object[], dataSourceSchema = 'string') =>
  call(server.url, `${BASE}/stream-configuration-templates`, { method: 'PUT', body: { name: 'chain', dataSourceSchema, processors } });
const stage = (id: string, processorDeclarationId: string, previousProcessorId: string | null = null) => ({
  ...{ id, processorDeclarationId, previousProcessorId, egress: { sink: true } },
});
const run = async (declared: { body: { id: string } }, text = 'hello', query: Record<string, string> = {}) => {
  const { body } = await template(
    [stage('first', 'echo'), stage('mine', declared.body.id, 'first')].slice(1).map((one) => ({ ...one, previousProcessorId: null })),
  );
  const started = await upload(server.url, { streamConfigurationTemplateId: body.id, persist: 'true', ...query }, text);
  expect(started.status).toBe(200);
  return streamEnd(server.url, started.body.streamId);
};
const exported = async (streamId: string): Promise<unknown[]> => {
  const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${streamId}`);
  return text === ''
    ? []
    : text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).payload);
};

describe('a processor declaration', () => {
  test('is created with a secret shown once, versioned, listed and deleted', async () => {
    const { status, body } = await declare({ inputSchema: { type: 'object' }, price: [{ quantity: 'ingressSize', rate: '0.1' }] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      version: 1,
      origin: 'own',
      inputSchema: { type: 'object' },
      outputSchema: 'string',
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(body.inputSchemas).toEqual([`tributary.processors.${body.id}.v1.input`]);
    const next = await declare({ id: body.id, name: 'renamed' });
    expect([next.status, next.body.version, next.body.secret]).toEqual([200, 2, undefined]);
    const get = (query = '') => call(server.url, `${BASE}/processor-declarations/${body.id}${query}`);
    expect((await get()).body).toMatchObject({ version: 2, name: 'renamed', url: `${address}/` });
    expect((await get('?version=1')).body).toMatchObject({ version: 1, name: 'mine' });
    expect((await get('?version=3')).status).toBe(404);
    const list = await call(server.url, `${BASE}/processor-declarations?size=100`);
    expect(list.body.content.map(({ origin }: { origin: string }) => origin)).toEqual(expect.arrayContaining(['own', 'built-in']));
    expect(list.text).not.toContain('whsec_');
    const rotated = await call(server.url, `${BASE}/processor-declarations/${body.id}/secret/rotate`, { method: 'POST' });
    expect(rotated.body.secret).not.toBe(body.secret);
    const chain = await template([stage('mine', body.id)]);
    expect(chain.status).toBe(200);
    expect((await call(server.url, `${BASE}/processor-declarations/${body.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await get()).status).toBe(404);
    const refused = await upload(server.url, { streamConfigurationTemplateId: chain.body.id }, 'x');
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('renamed')]);
  });

  test.each([
    ['an inward address', { url: 'http://10.0.0.1/' }],
    ['an unknown schema name', { outputSchema: 'words' }],
    ['an invalid schema', { outputSchema: { type: 'nonsense' } }],
    ['a negative rate', { price: [{ quantity: 'ingressSize', rate: '-1' }] }],
    ['defaults that do not fit', { defaultProperties: { unknown: 1 } }],
  ])('rejects %s', async (_, more) => {
    expect((await declare(more)).status).toBe(400);
  });

  test('is listed beside the seven built-in ones, which accept no unknown properties', async () => {
    const { body } = await call(server.url, `${BASE}/processor-declarations?size=100`);
    const builtIn = body.content.filter(({ origin }: { origin: string }) => origin === 'built-in');
    expect(builtIn).toHaveLength(7);
    for (const { propertiesJsonSchema } of builtIn) expect(propertiesJsonSchema).toHaveProperty('additionalProperties');
  });

  test('rejects an id that is not yours', async () => {
    expect((await declare({ id: '0'.repeat(24) })).status).toBe(403);
  });
});

describe('a version whose schemas no longer fit its neighbours', () => {
  test('is refused at the next upload, and reported where templates are read', async () => {
    const first = await declare();
    const second = await declare();
    const chain = await template([stage('a', first.body.id), stage('b', second.body.id, 'a')]);
    await declare({ id: second.body.id, inputSchema: 'bytes' });
    const refused = await upload(server.url, { streamConfigurationTemplateId: chain.body.id }, 'x');
    const reason =
      'The stage b (version 2) takes bytes, but a (version 1) gives string. Declare a version that fits, or change the template.';
    expect([refused.status, refused.body.message]).toEqual([409, reason]);
    const { body } = await call(server.url, `${BASE}/stream-configuration-templates/${chain.body.id}`);
    expect(body.runnable).toEqual({ ok: false, reason });
    await declare({ id: second.body.id, inputSchema: 'string' });
    expect((await upload(server.url, { streamConfigurationTemplateId: chain.body.id }, 'x')).status).toBe(200);
  });

  test('is refused at the next upload if its properties changed', async () => {
    const declared = await declare({ propertiesJsonSchema: { type: 'object' } });
    const chain = await template([stage('a', declared.body.id)]);
    await declare({
      id: declared.body.id,
      propertiesJsonSchema: { type: 'object', required: ['tone'] },
      defaultProperties: { tone: 'low' },
    });
    const refused = await upload(server.url, { streamConfigurationTemplateId: chain.body.id }, 'x');
    expect([refused.status, refused.body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
  });
});

describe('a run of a declared processor', () => {
  test('is one signed request, and its output is exported and billed', async () => {
    const declared = await declare({
      propertiesJsonSchema: { type: 'object', properties: { tone: { type: 'string' } } },
      defaultProperties: { tone: 'high' },
      patchAliases: { tone: 'properties/tone' },
      price: [{ quantity: 'ingressSize', rate: '0.1' }],
    });
    const stream = await run(declared, 'hello', { tone: 'low' });
    expect(stream).toMatchObject({ state: 'COMPLETED' });
    expect(await exported(stream.streamId)).toEqual(['hello']);
    const [{ headers, body, method } = { headers: {}, body: '', method: '' }] = asked;
    expect([method, body, headers['content-type']]).toEqual(['POST', 'hello', 'text/plain; charset=utf-8']);
    expect(headers['user-agent']).toMatch(/^Tributary\/\d/);
    const properties = { tone: 'low' };
    const head = {
      ...{ attempt: 1, processor: `${declared.body.id}@1`, properties, runId: headers['tributary-run-id'], streamId: stream.streamId },
    };
    expect(JSON.parse(Buffer.from(String(headers['tributary-properties']), 'base64url').toString())).toEqual(properties);
    const verified = () => new Webhook(declared.body.secret).verify(JSON.stringify(head), headers as Record<string, string>);
    expect(verified).not.toThrow();
    const { body: usage } = await call(server.url, `/usage-service/api/v1/usage/streams/${stream.streamId}`);
    expect(usage.processors[0]).toMatchObject({ ingressSize: 5, credits: '0.5' });
  });

  test('is billed for the last usage that it reported', async () => {
    behave = (response) =>
      void lines(
        response,
        { usage: { processedTokens: 3 } },
        { output: 'x' },
        { usage: { processedTokens: 7, processedInputTokens: 2 } },
        { end: true },
      );
    const { streamId } = await run(await declare({ price: [{ quantity: 'processedTokens', rate: '0.5' }] }));
    const { body } = await call(server.url, `/usage-service/api/v1/usage/streams/${streamId}`);
    expect(body.processors[0]).toMatchObject({ processedTokens: 7, processedInputTokens: 2, credits: '3.5' });
  });

  test('is not repeated after a 4xx, or after a 429 without Retry-After', async () => {
    behave = (response) => void response.writeHead(429).end();
    expect(await run(await declare())).toMatchObject({ state: 'FAILED', stateDescription: 'mine answered with status 429.' });
    expect(asked).toHaveLength(1);
  });

  test('accepts a raw body as its output', async () => {
    behave = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('plain');
    expect(await exported((await run(await declare())).streamId)).toEqual(['plain']);
  });

  test('polls a Location until it has the answer', async () => {
    behave = (response, request, _body) => {
      if (request.method === 'POST') response.writeHead(202, { location: '/jobs/1', 'retry-after': '0' }).end();
      else if (asked.length < 4) response.writeHead(202, { 'retry-after': '0', location: '/jobs/1' }).end();
      else echo(response, request, Buffer.from('late'));
    };
    expect(await exported((await run(await declare())).streamId)).toEqual(['late']);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
  });

  test('polls the same Location again after a 202 without one', async () => {
    behave = (response, request, _body) => {
      if (request.method === 'POST') response.writeHead(202, { location: '/jobs/7', 'retry-after': '0' }).end();
      else if (asked.length < 4) response.writeHead(202, { 'retry-after': '0' }).end();
      else lines(response, { output: request.url }, { end: true });
    };
    expect(await exported((await run(await declare())).streamId)).toEqual(['/jobs/7']);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
  });

  test('is repeated with the same run id, and honours Retry-After without counting it as an attempt', async () => {
    behave = (response, request, body) => {
      if (asked.length === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (asked.length === 2) response.writeHead(500).end();
      else echo(response, request, body);
    };
    expect(await run(await declare({ limits: { attempts: 2 } }))).toMatchObject({ state: 'COMPLETED' });
    expect(new Set(asked.map(({ headers }) => headers['tributary-run-id'])).size).toBe(1);
    expect(asked.map(({ headers }) => headers['tributary-attempt'])).toEqual(['1', '1', '2']);
  });

  test('waits without an attempt while its connection is refused, and continues when the processor is back', async () => {
    const port = await freePort();
    const declared = await declare({ url: `http://127.0.0.1:${port}`, limits: { attempts: 1 } });
    const { body } = await template([stage('mine', declared.body.id)]);
    const { streamId } = (await upload(server.url, { streamConfigurationTemplateId: body.id, persist: 'true' }, 'hello')).body;
    const attempts = () => call(server.url, `/stream-service/api/v1/streams/${streamId}/attempts`);
    await eventually(async () => (await attempts()).body.content[0].stages[0].state === 'WAITING_FOR_ENGINE');
    const back = createServer((request, response) => {
      asked.push({ method: request.method ?? '', headers: request.headers, body: '' });
      lines(response, { output: 'back' }, { end: true });
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void back.close().closeAllConnections());
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
    expect(asked.map(({ headers }) => headers['tributary-attempt'])).toEqual(['1']);
  });

  test('is repeated without counting an attempt if the connection ends before the answer', async () => {
    behave = (response, request, body) => void (asked.length === 1 ? response.destroy() : echo(response, request, body));
    expect(await run(await declare({ limits: { attempts: 1 } }))).toMatchObject({ state: 'COMPLETED' });
    expect(asked.map(({ headers }) => headers['tributary-attempt'])).toEqual(['1', '1']);
    expect(new Set(asked.map(({ headers }) => headers['tributary-run-id'])).size).toBe(1);
  });

  test('has an attempt counted if the connection ends within the answer', async () => {
    behave = (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"output": "half"}\n', () => response.destroy());
    };
    expect(await run(await declare({ limits: { attempts: 2 } }))).toMatchObject({
      state: 'FAILED',
      stateDescription: expect.stringMatching(/^mine closed or refused the connection \(\w+\)\.$/),
    });
    expect(asked.map(({ headers }) => headers['tributary-attempt'])).toEqual(['1', '2']);
  });

  test('sends DELETE to the Location of a run that is cancelled', async () => {
    behave = (response, request) =>
      void (request.method === 'DELETE' ? response.writeHead(204).end() : response.writeHead(202, { location: '/jobs/2' }).end());
    const declared = await declare();
    const { body } = await template([stage('mine', declared.body.id)]);
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: body.id }, 'x');
    await eventually(() => asked.length > 0);
    await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/cancel`, { method: 'PUT' });
    await eventually(() => asked.some(({ method }) => method === 'DELETE'));
  });

  test.each([
    ['503 with Retry-After', 1, (response: ServerResponse) => void response.writeHead(503, { 'retry-after': '0' }).end()],
    ['500', 2, (response: ServerResponse) => void response.writeHead(500).end()],
    ['a broken connection', 2, (response: ServerResponse) => void response.destroy()],
  ])('keeps the job of a run that is retried because a poll met %s', async (_, attempts, refuse) => {
    behave = (response, request) => {
      if (request.method === 'POST') response.writeHead(202, { location: '/jobs/4', 'retry-after': '0' }).end();
      else if (asked.filter(({ method }) => method === 'GET').length === 1) refuse(response);
      else echo(response, request, Buffer.from('late'));
    };
    expect(await exported((await run(await declare({ limits: { attempts } }))).streamId)).toEqual(['late']);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  test.each([
    [410, 3],
    [500, 1],
  ])('sends DELETE to the Location of a run that fails for good after a poll with status %i', async (status, attempts) => {
    behave = (response, request) => {
      if (request.method === 'POST') response.writeHead(202, { location: '/jobs/5', 'retry-after': '0' }).end();
      else response.writeHead(request.method === 'GET' ? status : 204).end();
    };
    expect(await run(await declare({ limits: { attempts } }))).toMatchObject({ state: 'FAILED' });
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE']);
  });

  test('keeps the version of the declaration that it started with when it runs again', async () => {
    const declared = await declare();
    const stream = await run(declared);
    await declare({ id: declared.body.id, url: `${address}/v2` });
    await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/rerun`, { method: 'POST', body: {} });
    await streamEnd(server.url, stream.streamId);
    expect(asked.map(({ headers }) => headers['tributary-processor'])).toEqual([`${declared.body.id}@1`, `${declared.body.id}@1`]);
    expect(new Set(asked.map(({ headers }) => headers['tributary-run-id'])).size).toBe(2);
  });

  test('can be between two stages with messages, with each payload checked', async () => {
    const number = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const first = await declare({ outputSchema: number });
    const second = await declare({ inputSchema: number, outputSchema: number });
    behave = (response, request, body) => {
      const json = request.headers['content-type'] === 'application/x-ndjson';
      const outputs = json
        ? body
            .toString()
            .trim()
            .split('\n')
            .map((line) => ({ output: { n: JSON.parse(line).n + 1 } }))
        : [{ output: { n: 1 } }, { output: { n: 2 } }];
      lines(response, ...outputs, { end: true });
    };
    const { body } = await template([stage('a', first.body.id), stage('b', second.body.id, 'a')]);
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: body.id, persist: 'true' }, 'x');
    await streamEnd(server.url, stream.streamId);
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${stream.streamId}&tags=b`);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ payload: { n: 2 }, payloadSchema: `tributary.processors.${second.body.id}.v1` }, { payload: { n: 3 } }]);
  });

  test('can be tested without a stream', async () => {
    const declared = await declare();
    const trial = (body: object) => call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, { method: 'POST', body });
    expect((await trial({ input: 'hi' })).body).toMatchObject({ output: 'hi', requests: [{ method: 'POST', status: 200 }] });
    behave = (response) => void response.writeHead(404).end();
    expect((await trial({ input: 'hi' })).body).toMatchObject({
      error: { name: 'PROCESSOR_GENERAL_ERROR', message: 'mine answered with status 404.' },
    });
    asked = [];
    behave = (response) => void response.destroy();
    expect((await trial({ input: 'hi' })).body.error.message).toMatch(/^mine closed or refused the connection/);
    expect(asked).toHaveLength(1);
    expect((await trial({ input: 'x'.repeat(65_537) })).status).toBe(400);
    expect((await trial({ input: ['hi'] })).status).toBe(400);
  });

  test('may send at most 1 MiB of output in a test', async () => {
    const declared = await declare();
    const trial = () =>
      call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, { method: 'POST', body: { input: 'hi' } });
    const plain = (bytes: number) => {
      behave = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(bytes));
    };
    plain(1_048_576);
    expect((await trial()).body.output).toHaveLength(1_048_576);
    plain(1_048_577);
    expect((await trial()).body).toMatchObject({ error: { message: 'mine sent more output than 1048576 bytes.' } });
  });

  test('may have two tests at once for one user', async () => {
    const declared = await declare();
    const trial = () =>
      call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, { method: 'POST', body: { input: 'hi' } });
    const waiting: (() => void)[] = [];
    behave = (...one) => void waiting.push(() => echo(...one));
    const first = [trial(), trial()];
    await eventually(() => waiting.length === 2);
    const refused = await trial();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    for (const answer of waiting) answer();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    behave = echo;
    expect((await trial()).status).toBe(200);
  });

  test('sends DELETE to the Location of an abandoned test', async () => {
    behave = (response, request) =>
      void (request.method === 'DELETE' ? response.writeHead(204).end() : response.writeHead(202, { location: '/jobs/6' }).end());
    const declared = await declare();
    const abandoned = new AbortController();
    const trial = fetch(`${server.url}${BASE}/processor-declarations/${declared.body.id}/test`, {
      method: 'POST',
      headers: { authorization: `Basic ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'hi' }),
      signal: abandoned.signal,
    }).catch(() => null);
    await eventually(() => asked.length > 0);
    abandoned.abort();
    await trial;
    await eventually(() => asked.some(({ method }) => method === 'DELETE'));
  });

  test('checks the input of a test as in a stream', async () => {
    const declared = await declare({ inputSchema: { type: 'object', required: ['n'] }, outputSchema: 'bytes' });
    const trial = (input: unknown) =>
      call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, { method: 'POST', body: { input } });
    behave = (response) => void lines(response, { output: 'aGk=' }, { end: true });
    expect((await trial([{ n: 1 }])).body).toMatchObject({ output: 'aGk=' });
    expect((await trial([{ m: 1 }])).body.error.message).toContain('mine cannot take this input');
    expect((await trial('text')).status).toBe(400);
  });

  test('is polled at most ten times a second, whatever its Retry-After says', async () => {
    behave = (response) => void response.writeHead(202, { location: '/jobs/3', 'retry-after': '0' }).end();
    const declared = await declare({ limits: { attempts: 1, timeoutMs: 1_000 } });
    const result = await call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, {
      method: 'POST',
      body: { input: 'x' },
    });
    expect(result.body.error.message).toBe('mine did not finish within 1000 ms.');
    expect(asked.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(10);
  });

  test('is refused in a test if its properties have more than 64 KiB', async () => {
    const declared = await declare({ propertiesJsonSchema: { type: 'object' } });
    const { status, body } = await call(server.url, `${BASE}/processor-declarations/${declared.body.id}/test`, {
      method: 'POST',
      body: { input: 'x', properties: { long: 'x'.repeat(65_536) } },
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('at most 65536 are allowed')]);
    expect(asked).toEqual([]);
  });
});

describe('limits.concurrency', () => {
  const held = (): { readonly urls: string[]; release: () => void } => {
    const urls: string[] = [];
    const waiting: (() => void)[] = [];
    let open = false;
    behave = (response, request, body) => {
      urls.push(request.url ?? '');
      if (open || request.url === '/healthy') echo(response, request, body);
      else waiting.push(() => echo(response, request, body));
    };
    const release = () => {
      open = true;
      for (const answer of waiting.splice(0)) answer();
    };
    onTestFinished(release);
    return { urls, release };
  };
  const chainOf = async (path: string, more: object = {}) => {
    const declared = await declare({ url: `${address}/${path}`, ...more });
    const { body } = await template([stage('mine', declared.body.id)]);
    return { id: declared.body.id as string, start: () => begun(body.id) };
  };
  const begun = async (streamConfigurationTemplateId: string): Promise<string> =>
    (await upload(server.url, { streamConfigurationTemplateId, persist: 'true' }, 'x')).body.streamId;
  const stageOf = async (streamId: string) =>
    (await call(server.url, `/stream-service/api/v1/streams/${streamId}/attempts`)).body.content[0].stages[0];

  test('bounds the requests to a processor, and its waiting runs take nothing from your other processors', async () => {
    const { urls, release } = held();
    const hanging = await chainOf('hanging', { limits: { concurrency: 2 } });
    const healthy = await chainOf('healthy');
    const streams: string[] = [];
    for (let n = 0; n < 18; n++) streams.push(await hanging.start());
    await eventually(() => urls.length === 2);
    expect(await streamEnd(server.url, await healthy.start())).toMatchObject({ state: 'COMPLETED' });
    expect(urls).toEqual(['/hanging', '/hanging', '/healthy']);
    release();
    for (const streamId of streams) expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
  });

  test('keeps a waiting run queued, and its executionTime begins when it starts', async () => {
    const { urls, release } = held();
    const limits = { concurrency: 1 };
    const price = [{ quantity: 'executionTime', rate: '1' }];
    const [one, other] = [await chainOf('one', { limits, price }), await chainOf('other', { limits })];
    const running = await one.start();
    await eventually(() => urls.length === 1);
    const queued = await one.start();
    const queuedAt = performance.now();
    // The start of a run is recorded after a second: a run that began later shows that this second is over.
    const later = await other.start();
    for (const streamId of [running, later]) await eventually(async () => (await stageOf(streamId)).state === 'RUNNING');
    expect(await stageOf(queued)).toMatchObject({ state: 'QUEUED', tries: [] });
    const waited = performance.now() - queuedAt;
    release();
    expect(await streamEnd(server.url, queued)).toMatchObject({ state: 'COMPLETED' });
    const { queuedTimestamp, tries } = await stageOf(queued);
    expect(Date.parse(tries[0].startedTimestamp) - Date.parse(queuedTimestamp)).toBeGreaterThanOrEqual(1_000);
    const { body: usage } = await call(server.url, `/usage-service/api/v1/usage/streams/${queued}`);
    expect(usage.processors[0].executionTime).toBeLessThan(waited);
    expect(Number(usage.processors[0].credits)).toBe(usage.processors[0].executionTime);
  });

  test('counts a test with the runs', async () => {
    const { urls, release } = held();
    const mine = await chainOf('mine', { limits: { concurrency: 1 } });
    const trial = () => call(server.url, `${BASE}/processor-declarations/${mine.id}/test`, { method: 'POST', body: { input: 'hi' } });
    const streamId = await mine.start();
    await eventually(() => urls.length === 1);
    const waiting = trial();
    const remoteWaiting = async () =>
      (await call(server.url, '/metrics')).text.includes('processor_queue{lane="remote",state="waiting"} 1');
    await eventually(remoteWaiting);
    expect(urls).toHaveLength(1);
    release();
    expect((await waiting).body).toMatchObject({ output: 'hi', requests: [{ method: 'POST', status: 200 }] });
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
  });
});

const BAD: readonly (readonly [string, Behaviour, string])[] = [
  ['is silent', () => undefined, 'mine did not finish within 300 ms.'],
  ['dies', (response) => void response.destroy(), 'mine closed or refused the connection'],
  ['ends without an end', (response) => void lines(response, { output: 'x' }), 'mine ended its answer without {"end": true}.'],
  [
    'redirects',
    (response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    'mine answered with a redirect (302), which is not followed.',
  ],
  [
    'sends polls inward',
    (response) => void response.writeHead(202, { location: 'http://10.0.0.1/' }).end(),
    'mine has an address that is not allowed.',
  ],
  ['sends a wrong payload', (response) => void lines(response, { output: 7 }, { end: true }), 'mine sent an output that is not a string.'],
  [
    'sends invalid JSON',
    (response) => void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('nonsense\n'),
    'mine sent a line that is not a JSON object.',
  ],
  [
    'sends deeply nested JSON',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(`{"output":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`);
    },
    'mine sent a line that is nested deeper than 64 levels.',
  ],
  [
    'sends a line of more values than PROCESSOR_LINE_MAX_VALUES',
    (response) => void lines(response, { output: Array(200_000).fill(1) }),
    'mine sent a line with more than 200000 values.',
  ],
  [
    'floods',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      };
      response.on('drain', more);
      more();
    },
    'mine sent more output than 100000 bytes.',
  ],
  [
    'sends an endless line',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      };
      response.on('drain', more);
      more();
    },
    'mine sent a line of more than 1 MiB.',
  ],
  [
    'reports an error',
    (response) => void lines(response, { error: { name: 'Bad', message: 'no vowels' } }),
    'mine reported an error: Bad: no vowels',
  ],
  ['refuses', (response) => void response.writeHead(422).end(), 'mine answered with status 422.'],
  [
    'is slow for ever',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const more = setInterval(() => response.write('{"progress": 0.5}\n'), 20);
      response.on('close', () => clearInterval(more));
    },
    'mine did not finish within 300 ms.',
  ],
  [
    'reports an unknown usage',
    (response) => void lines(response, { usage: { pages: 3 } }, { end: true }),
    'mine reported a usage of "pages" that is not a known quantity from 0 to 1000000000000.',
  ],
  [
    'reports a usage that no sum can hold',
    (response) => void lines(response, { usage: { processedTokens: 1e308 } }, { end: true }),
    'mine reported a usage of "processedTokens" that is not a known quantity from 0 to 1000000000000.',
  ],
  [
    'reports a progress over 1',
    (response) => void lines(response, { progress: 1.01 }, { end: true }),
    'mine sent a progress of 1.01. Use a number from 0 to 1.',
  ],
  [
    'reports a negative progress',
    (response) => void lines(response, { progress: -0.5 }, { end: true }),
    'mine sent a progress of -0.5. Use a number from 0 to 1.',
  ],
  ['answers 202 without a Location', (response) => void response.writeHead(202).end(), 'mine answered 202 without a valid Location.'],
  [
    'asks for a pause that is too long',
    (response) => void response.writeHead(503, { 'retry-after': '86400' }).end(),
    'answered with status 503.',
  ],
];

describe('a processor that misbehaves fails its own stage', () => {
  test.each(BAD)('%s', async (_, behaviour, reason) => {
    behave = behaviour;
    const silent = reason.includes('300 ms');
    const declared = await declare({ limits: { attempts: 1, maxOutputBytes: 100_000, timeoutMs: silent ? 300 : 60_000 } });
    const before = await declare({ url: `${address}/before` });
    const chain = await template([stage('before', before.body.id), stage('mine', declared.body.id, 'before')]);
    const second: Behaviour = behave;
    behave = (response, request, body) => (request.url === '/before' ? echo : second)(response, request, body);
    const { body } = await upload(server.url, { streamConfigurationTemplateId: chain.body.id, persist: 'true' }, 'kept');
    const stream = await streamEnd(server.url, body.streamId);
    expect(stream.state).toBe('FAILED');
    expect(stream.stateDescription).toContain(reason);
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${body.streamId}&tags=before`);
    expect(JSON.parse(text).payload).toBe('kept');
  });
});

test('a live processor that stops reading fails when its time after the end of the input is over', async () => {
  const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  onTestFinished(() => {
    deaf.closeAllConnections();
    deaf.close();
  });
  const url = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
  const bytes = { inputSchema: 'bytes', outputSchema: 'bytes', mode: 'live' };
  const declared = await declare({ ...bytes, url, limits: { attempts: 1, timeoutMs: 300 } });
  const { body } = await template([stage('mine', declared.body.id)], 'bytes');
  const started = await upload(server.url, { streamConfigurationTemplateId: body.id }, Buffer.alloc(16 * 1_048_576));
  const { state, stateDescription } = await streamEnd(server.url, started.body.streamId);
  expect([state, stateDescription]).toEqual(['FAILED', 'mine did not finish within 300 ms.']);
});

describe('the command line', () => {
  const asked = () => ({ TRIBUTARY_URL: server.url, TRIBUTARY_API_KEY: ADMIN_KEY });
  const processor = (...words: string[]) => tributary('', ['processor', ...words], asked());

  test('declares a processor, gives it a version, tries it, rotates its secret, lists and deletes it', async () => {
    const words = ['--name', 'From the shell', '--url', address, '--input', 'string', '--output', 'string'];
    const declared = await processor('declare', ...words);
    expect([declared.code, declared.stderr]).toEqual([0, '']);
    const [, id = ''] = /^id +(\S+)$/m.exec(declared.stdout) ?? [];
    expect(declared.stdout).toMatch(/^secret +whsec_/m);
    expect((await processor('declare', '--id', id, ...words, '--description', 'Echo')).stdout).toMatch(/^version +2$/m);
    const tried = await processor('test', id, '--input', 'hello');
    expect([tried.code, JSON.parse(tried.stdout)]).toMatchObject([0, { output: 'hello' }]);
    behave = (response) => void response.writeHead(422).end();
    expect((await processor('test', id, '--input', 'hello')).code).toBe(1);
    expect((await processor('rotate', id)).stdout).toMatch(/^secret +whsec_/);
    expect((await processor('list')).stdout).toMatch(new RegExp(`^${id} +From the shell +own +2 +`, 'm'));
    expect((await processor('delete', id)).stdout).toBe('Deleted.\n');
    const gone = await processor('delete', id);
    expect([gone.code, gone.stderr]).toEqual([1, 'No such processor declaration.\n']);
  });

  test('takes declarations from a file, and schemas from files', async () => {
    const folder = temporaryDirectory();
    const file = join(folder, 'declaration.json');
    const schema = join(folder, 'input.json');
    writeFileSync(
      file,
      JSON.stringify({ name: 'From a file', url: address, inputSchema: 'string', outputSchema: 'string', limits: { attempts: 7 } }),
    );
    writeFileSync(schema, JSON.stringify({ type: 'object', required: ['n'] }));
    const { stdout } = await processor('declare', '--file', file, '--input', `@${schema}`, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'From a file',
      mode: 'batch',
      limits: { attempts: 7 },
      inputSchema: { required: ['n'] },
    });
    const { id } = JSON.parse(stdout);
    behave = (response) => void lines(response, { output: 'ok' }, { end: true });
    expect(JSON.parse((await processor('test', id, '--input', '[{"n": 1}]')).stdout)).toMatchObject({ output: 'ok' });
    await processor('delete', id);
  });

  test('names a missing key, server or file', async () => {
    const noKey = await tributary('', ['processor', 'list'], { TRIBUTARY_URL: server.url });
    expect([noKey.code, noKey.stderr]).toEqual([1, `Set TRIBUTARY_API_KEY to an API key of the server at ${server.url}.\n`]);
    const noServer = await tributary('', ['processor', 'list'], { TRIBUTARY_URL: 'http://127.0.0.1:9', TRIBUTARY_API_KEY: 'x' });
    expect(noServer.stderr).toBe('The server at http://127.0.0.1:9 does not answer. Start it, or set TRIBUTARY_URL.\n');
    expect((await processor('declare', '--input', '@nowhere.json')).stderr).toContain('The file nowhere.json cannot be read.');
    expect((await processor('declare', '--name', 'x')).code).toBe(1);
  });
});

/** Starts it as the leader of a process group: `npm start` and `go run` start the processor as a child of their own. */
const startStarter = async (
  [command = '', ...words]: readonly string[],
  cwd: string,
  secret: string,
  port: number,
): Promise<ChildProcess> => {
  const environment = { PORT: String(port), TRIBUTARY_PROCESSOR_SECRET: secret, GOFLAGS };
  const started = spawn(command, words, { cwd, env: { ...process.env, ...environment }, detached: true });
  try {
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.status === 405, 60_000);
  } catch (error) {
    killGroup(started);
    throw error;
  }
  return started;
};
const killGroup = ({ pid, exitCode }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
};
/** The MongoDB of the tests is built with -trimpath, too: CI compiles the standard library once for both. */
const GOFLAGS = '-mod=mod -trimpath';
/** The error of `npm install` without a registry. Any other failure is one of the starter. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT)\b/;
const install = (cwd: string): string | null => {
  const { status, stderr } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    ...{ cwd, encoding: 'utf8', timeout: 90_000 },
  });
  return status === 0 ? null : stderr;
};
const hasGo = spawnSync('go', ['version']).status === 0;

describe('the conformance suite', () => {
  const NUMBER: SchemaChoice = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, examples: [{ n: 1 }] };
  const ANY: SchemaChoice = { type: 'object', examples: [{}] };
  const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
  const PAIRS: readonly (readonly [string, SchemaChoice, SchemaChoice, Behaviour])[] = [
    ['bytes to bytes', 'bytes', 'bytes', (response, _, body) => void lines(response, { output: body.toString('base64') }, { end: true })],
    [
      'transcriptions to transcriptions',
      TRANSCRIPTION,
      TRANSCRIPTION,
      (response, _, body) => void lines(response, ...each(body), { end: true }),
    ],
    [
      'messages to text',
      NUMBER,
      'string',
      (response, _, body) => void lines(response, { output: String(each(body).length) }, { end: true }),
    ],
    ['the smallest messages to bytes', ANY, 'bytes', (response) => void lines(response, { output: 'eA==' }, { end: true })],
    ['text to text', 'string', 'string', (response, _, body) => void lines(response, { output: body.toString() }, { end: true })],
  ];
  const each = (body: Buffer): { output: unknown }[] =>
    body
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ output: JSON.parse(line) }));

  test.each(PAIRS)(
    'has at least 60 cases for %s, which a good processor passes',
    { timeout: 60_000 },
    async (_, input, output, answers) => {
      const form = formOf(input, output);
      behave = (response, request, body) => {
        try {
          if (request.method === 'GET') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A processor</p>');
          answers(response, request, body);
        } catch {
          response.writeHead(400).end();
        }
      };
      const target = { url: address, secret: null, contentType: form.input.contentType };
      const found: unknown[] = [];
      for (const one of casesFor(form)) if (!one.needsSecret) found.push([one.name, await one.run(target)]);
      expect(found).toEqual(found.map((each) => [Array.isArray(each) && each[0], null]));
      expect(found.length).toBeGreaterThanOrEqual(60);
    },
  );

  test('passes a processor that answers every run with 202 and a Location', { timeout: 60_000 }, async () => {
    const jobs = new Map<string, { readonly output: string; polls: number }>();
    behave = (response, request, body) => {
      const { url = '' } = request;
      const job = jobs.get(url);
      if (request.method === 'POST') {
        const location = `/jobs/${jobs.size + 1}`;
        jobs.set(location, { output: body.toString(), polls: 0 });
        return void response.writeHead(202, { location, 'retry-after': '0' }).end();
      }
      if (!job) return void response.writeHead(404).end();
      if (request.method === 'DELETE') return void response.writeHead(jobs.delete(url) ? 204 : 404).end();
      if (job.polls++ === 0 && jobs.size <= 10) return void response.writeHead(202, { 'retry-after': '0' }).end();
      lines(response, { output: job.output }, { end: true });
    };
    const { code, stdout } = await tributary('', ['processor', 'check', address]);
    expect(stdout).not.toContain('FAIL');
    expect(code).toBe(0);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
  });

  test('explains what a bad processor does wrong', async () => {
    const told = (input: SchemaChoice, output: SchemaChoice, name: string) => {
      const form = formOf(input, output);
      const target = { url: address, secret: null, contentType: form.input.contentType };
      return casesFor(form)
        .find((one) => one.name === name)
        ?.run(target);
    };
    behave = (response) => void lines(response, { output: 'x' });
    expect(await told('string', 'string', 'takes one word')).toContain('{"end": true} is missing');
    behave = (response) => void response.writeHead(202).end();
    expect(await told('string', 'string', 'takes one word')).toContain('202 without a valid Location');
    behave = (response) => void lines(response, { output: 'x' }, { end: true });
    expect(await told('bytes', 'bytes', 'takes zeros')).toContain('not base64');
    expect(await told('string', TRANSCRIPTION, 'takes one word')).toContain('does not fit the output schema');
    behave = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('x');
    expect(await told('string', NUMBER, 'takes one word')).toContain('content type "text/plain"');
  });

  test('asks for an example of a message when the schema has none', async () => {
    const folder = temporaryDirectory();
    const schema = join(folder, 'input.json');
    writeFileSync(schema, JSON.stringify({ type: 'object', required: ['n'] }));
    const words = ['processor', 'check', address, '--input', `@${schema}`];
    expect(await tributary('', words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('give a payload that fits with --example'),
    });
    const wrong = await tributary('', [...words, '--example', '{"m": 1}']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Example 1 does not fit the input schema') });
  });
});

describe('the starters follow the protocol, and join a chain without a restart', () => {
  const MAIL = 'Write to ana@example.org.';
  /** `compiled`: starts what the documented command has compiled. `null`: joins a chain in the commands of the guide, which are a test of their own. */
  const starters: readonly { language: string; command: string[]; compiled: string[] | null; output?: string; there: boolean }[] = [
    { language: 'python', command: ['python3', 'app.py'], compiled: null, there: true },
    { language: 'go', command: ['go', 'run', '.'], compiled: ['./processor'], output: MAIL, there: hasGo },
    {
      ...{ language: 'typescript', command: ['npm', 'start'], compiled: ['node', 'dist/app.js'] },
      ...{ output: 'WRITE TO ANA@EXAMPLE.ORG.', there: true },
    },
  ];
  for (const { language, command, compiled, output, there } of starters)
    test.skipIf(!there)(`${language}${there ? '' : ' (skipped: needs go)'}`, { timeout: 300_000 }, async ({ skip }) => {
      const folder = join(temporaryDirectory(), 'mine');
      const written = await tributary('', ['processor', 'init', '--lang', language, folder]);
      expect([written.code, written.stderr]).toEqual([0, '']);
      const [, check = ''] = /Check it in a second terminal:\n {2}(.+)\n/.exec(written.stdout) ?? [];
      const failure = language === 'typescript' ? install(folder) : null;
      if (failure !== null && UNREACHABLE.test(failure)) skip('skipped: needs an npm registry');
      expect(failure).toBeNull();
      // The first build of a Go program compiles the standard library.
      if (language === 'go')
        spawnSync('go', ['build', '-o', 'processor', '.'], { cwd: folder, timeout: 150_000, env: { ...process.env, GOFLAGS } });
      const url = `http://127.0.0.1:${await freePort()}/`;
      // As in the guide: without a secret, before it is declared.
      const bare = await startStarter(command, folder, '', Number(new URL(url).port));
      try {
        const printed = check.replace('http://127.0.0.1:9000', url);
        const { stdout } = await promisify(execFile)('sh', ['-c', printed], { cwd: folder });
        expect(Number(/^All (\d+) cases pass\.$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(60);
      } finally {
        killGroup(bare);
      }
      if (compiled === null) return;
      // The next one needs its port.
      await eventually(async () => (await fetch(url).catch(() => null)) === null);
      const declared = await declare({ url, propertiesJsonSchema: { type: 'object' } });
      const { secret } = declared.body;
      const started = await startStarter(compiled, folder, secret, Number(new URL(url).port));
      try {
        expect(await exported((await run(declared, MAIL)).streamId)).toEqual([output]);
        const checked = await tributary('', ['processor', 'check', url, '--secret', secret]);
        expect([checked.code, checked.stdout]).toEqual([0, expect.stringMatching(/^All \d+ cases pass\.$/m)]);
      } finally {
        killGroup(started);
      }
    });
});
