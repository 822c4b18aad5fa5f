import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { type Behaviour, chatAnswer, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { recovered } from './recovery.ts';

const TIMEOUT = 180_000;
let chat: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  chat = await startStubEngine();
  server = await startServer({
    environment: { LLM_URL: `${chat.url}/v1`, LLM_MODEL: 'small', ENGINE_TIMEOUT_MS: '1000', ENGINE_RETRY_S: '1' },
  });
}, TIMEOUT);
afterAll(async () => {
  await server.kill();
  await chat.close();
});

const asked = async (): Promise<string> => {
  const { status, body } = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, ask0: 'What?' }, 'Some text.');
  expect(status).toBe(200);
  return body.streamId;
};

/** Work continues in the same process. */
const recovery = async (after: string, work: () => Promise<unknown>): Promise<void> => {
  await recovered(after, work);
  expect((await call(server.url, '/health/ready', { key: null })).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
};

describe('an engine that', () => {
  const faults: readonly [name: string, behaviour: Behaviour][] = [
    ['crashes before it answers', 'reset'],
    ['crashes in its answer', 'reset in the answer'],
    ['hangs', 'hang'],
    ['prints rubbish', { text: '<html>{"choices":[' }],
    ['prints without end', 'huge'],
  ];

  test.each(faults)(
    '%s fails its streams with a reason, and the next ones run when it is back',
    { timeout: TIMEOUT },
    async (name, behaviour) => {
      chat.reset();
      chat.always(behaviour);
      const failed = await asked();
      expect((await streamEnd(server.url, failed, TIMEOUT)).state).toBe('FAILED');
      const { body } = await call(server.url, `/stream-service/api/v1/streams/${failed}/components`);
      const broken = body.processors.find(({ state }: { state: string }) => state === 'ERROR');
      expect(broken.stateDescription).toMatch(/^\S.{5,}/);
      chat.always(chatAnswer('well'));
      await recovery(`an engine that ${name}`, async () => {
        expect((await streamEnd(server.url, await asked(), TIMEOUT)).state).toBe('COMPLETED');
      });
    },
  );
});

/** Sends raw bytes; returns the answer up to the server's disconnection or a time-out in milliseconds. */
const raw = async (text: string | Buffer, milliseconds = 20_000): Promise<string> => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  // A client that is cut off while writing has already got its answer.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(text);
  await Promise.race([closed, wait(milliseconds)]);
  socket.destroy();
  return received;
};

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Basic ${ADMIN_KEY}`, 'Connection: close', ...lines, '\r\n'].join('\r\n');
const UPLOAD = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}`;
const CREDENTIALS = '/credential-service/api/v1/credentials';

describe('a caller that sends', () => {
  const json = (body: string) => head(CREDENTIALS, 'Content-Type: application/json', `Content-Length: ${body.length}`) + body;
  const chunked = (body: string) => head(UPLOAD, 'Content-Type: application/octet-stream', 'Transfer-Encoding: chunked') + body;
  const requests: readonly [name: string, bytes: string][] = [
    ['JSON that is nested 100,000 deep', json('['.repeat(100_000) + ']'.repeat(100_000))],
    ['JSON of 3 MB', json(`{"label":"${'x'.repeat(3_000_000)}"}`)],
    ['a chunk whose length is none', chunked('zz\r\nhello\r\n0\r\n\r\n')],
    ['a chunk that is longer than it says', chunked('3\r\nhello\r\n0\r\n\r\n')],
    ['two lengths', `${head(UPLOAD, 'Content-Length: 3', 'Content-Length: 5')}hello`],
    ['a length and chunks', `${head(UPLOAD, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ];

  test.each(requests)('%s is refused with 4xx, and others are served', { timeout: TIMEOUT }, async (name, bytes) => {
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    await recovery(name, async () => {
      expect((await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello')).status).toBe(200);
    });
  });

  test('50 bodies byte by byte does not delay others', { timeout: TIMEOUT }, async () => {
    const { hostname, port } = new URL(server.url);
    const slow = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    for (const socket of slow) {
      socket.on('error', () => undefined);
      socket.write(`${head(CREDENTIALS, 'Content-Type: application/json', 'Content-Length: 100000')}{`);
    }
    const dripping = setInterval(() => slow.forEach((socket) => void (socket.writable && socket.write(' '))), 50);
    try {
      await recovery('50 slow bodies that still come', async () => {
        expect((await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello')).status).toBe(200);
      });
    } finally {
      clearInterval(dripping);
      for (const socket of slow) socket.destroy();
    }
  });
});
