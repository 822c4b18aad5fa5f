import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.ts';
import { call, getStream, streamEnd } from './client.ts';
import { readLive, slowUpload } from './live.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

/** A processor that controls when it reads and when it answers. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let processor: Server;
let server: RunningServer;
let address = '';
/** Data read in the current test. */
let read = '';

beforeAll(async () => {
  processor = createServer((request, response) => {
    for (const one of [request, response]) one.on('error', () => undefined);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(processor, 'listening');
  address = `http://127.0.0.1:${(processor.address() as AddressInfo).port}`;
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
});
afterAll(async () => {
  processor.closeAllConnections();
  processor.close();
  await server.kill();
});
beforeEach(() => {
  read = '';
});

const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** Answers each piece of the input at once, with a partial and a final output. */
const piecewise: typeof answer = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  request.setEncoding('utf8').on('data', (text: string) => {
    read += text;
    response.write(line({ output: { text: `${text}?` }, frameType: 'partial' }) + line({ output: { text } }));
  });
  request.on('end', () => response.end(line({ end: true })));
};

const BASE = '/stream-configuration-service/api/v1';

/** Id of a template with one live stage. */
const liveTemplate = async (more: object = {}): Promise<string> => {
  const declared = await call(server.url, `${BASE}/processor-declarations`, {
    method: 'PUT',
    body: { name: 'mine', url: address, mode: 'live', inputSchema: 'string', outputSchema: { type: 'object' }, ...more },
  });
  const stage = { id: 'mine', processorDeclarationId: declared.body.id, previousProcessorId: null, egress: { sink: true } };
  const template = await call(server.url, `${BASE}/stream-configuration-templates`, {
    method: 'PUT',
    body: { name: 'live', dataSourceSchema: 'string', processors: [stage] },
  });
  expect([declared.status, template.status]).toEqual([201, 200]);
  return template.body.id;
};

/** A running upload through it. */
const underWay = async (more: object = {}) => {
  const streamConfigurationTemplateId = await liveTemplate(more);
  const id = randomUUID();
  const upload = slowUpload(server.url, { id, streamConfigurationTemplateId, persist: 'true' });
  return { id, upload };
};

describe('a live processor', () => {
  test('reads the upload while it grows, and its outputs can be read before the upload ends', async () => {
    answer = piecewise;
    const { id, upload } = await underWay();
    const reader = readLive(server.url, `streams=${id}`);
    const outputs = () => reader.messages().map(({ frameType, payload }) => [frameType, payload.text]);
    upload.send('one');
    const first = [
      ['partial', 'one?'],
      ['final', 'one'],
    ];
    await eventually(() => expect(outputs()).toEqual(first));
    upload.send('two');
    await eventually(() => expect(outputs()).toEqual([...first, ['partial', 'two?'], ['final', 'two']]));
    expect((await getStream(server.url, id)).body.state).toBe('READY');
    upload.end();
    await reader.done;
    expect(await streamEnd(server.url, id)).toMatchObject({ state: 'COMPLETED' });
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${id}`);
    const exported = text.trim().split('\n');
    expect(exported.map((one) => JSON.parse(one).payload)).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  /** What is said of the input so far, in the schema of the output. */
  const KINDS: readonly (readonly [string, object, (text: string) => unknown])[] = [
    ['text', { outputSchema: 'string' }, (text) => text],
    ['bytes', { outputSchema: 'bytes' }, (text) => Buffer.from(text).toString('base64')],
    ['messages', {}, (text) => ({ text })],
  ];
  const revised =
    (payload: (text: string) => unknown): typeof answer =>
    (request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      request.setEncoding('utf8').on('data', (text: string) => {
        read += text;
        response.write(line({ output: payload(read), frameType: 'partial' }));
      });
      request.on('end', () => response.end(line({ output: payload(read) }) + line({ end: true })));
    };

  test.each(KINDS)('has its partial outputs of %s read while the upload is open', async (_, schema, payload) => {
    answer = revised(payload);
    const { id, upload } = await underWay(schema);
    const reader = readLive(server.url, `streams=${id}`);
    const outputs = () => reader.messages().map((message) => [message.frameType, message.sequenceId, message.payload]);
    upload.send('one');
    await eventually(() => expect(outputs()).toEqual([['partial', 0, payload('one')]]));
    upload.send(' two');
    await eventually(() => expect(outputs()).toHaveLength(2));
    upload.end();
    await reader.done;
    expect(outputs()).toEqual([
      ['partial', 0, payload('one')],
      ['partial', 0, payload('one two')],
      ['final', 0, payload('one two')],
    ]);
    expect(await streamEnd(server.url, id)).toMatchObject({ state: 'COMPLETED' });
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${id}`);
    expect(
      text
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).payload),
    ).toEqual([payload('one two')]);
  });

  test.each(KINDS)('has its partial outputs of %s sent over the WebSocket of the upload', async (_, schema, payload) => {
    answer = revised(payload);
    const template = await liveTemplate(schema);
    const query = new URLSearchParams({ streamConfigurationTemplateId: template });
    const headers = { authorization: `Basic ${ADMIN_KEY}` };
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, { headers });
    onTestFinished(() => socket.terminate());
    const outputs: unknown[] = [];
    socket.on('message', (data) => {
      const { type, response } = JSON.parse(data.toString());
      if (type === 'RESPONSE') outputs.push([response.frameType, response.payload]);
    });
    await once(socket, 'open');
    socket.send(Buffer.from('one'));
    await eventually(() => expect(outputs).toEqual([['partial', payload('one')]]));
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await closed;
    expect(outputs).toEqual([
      ['partial', payload('one')],
      ['final', payload('one')],
    ]);
  });

  test('has its time limit counted from the end of the input, not from the start of the run', async () => {
    answer = (request) => void request.setEncoding('utf8').on('data', (text: string) => (read += text));
    const { id, upload } = await underWay({ limits: { attempts: 1, timeoutMs: 100 } });
    const began = performance.now();
    upload.send('one');
    await eventually(() => read === 'one' && performance.now() - began > 300);
    upload.send('two');
    await eventually(() => read === 'onetwo');
    expect((await getStream(server.url, id)).body.state).toBe('READY');
    upload.end();
    const stream = await streamEnd(server.url, id);
    expect([stream.state, stream.stateDescription]).toEqual(['FAILED', expect.stringContaining('mine did not finish within 100 ms.')]);
  });

  test('is disconnected during the upload when the stream is cancelled', async () => {
    let closed = false;
    answer = (request, response) => {
      response.on('close', () => {
        closed = true;
      });
      piecewise(request, response);
    };
    const { id, upload } = await underWay();
    upload.send('one');
    await eventually(() => read === 'one');
    await call(server.url, `/stream-service/api/v1/streams/${id}/cancel`, { method: 'PUT' });
    await eventually(() => closed);
    expect((await streamEnd(server.url, id)).state).toBe('FAILED');
    upload.breakOff();
  });

  test('may end before the upload', async () => {
    answer = (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(line({ output: { text: 'enough' } }) + line({ end: true }));
    };
    const { id, upload } = await underWay();
    const reader = readLive(server.url, `streams=${id}`);
    upload.send('one');
    await eventually(() => expect(reader.messages()).toMatchObject([{ payload: { text: 'enough' } }]));
    upload.send('two');
    upload.end();
    expect(await upload.answered).toBe(200);
    expect(await streamEnd(server.url, id)).toMatchObject({ state: 'COMPLETED' });
  });
});
