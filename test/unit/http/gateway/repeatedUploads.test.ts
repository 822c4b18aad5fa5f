import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseRanges } from '../../../../src/addressGuard/ranges.ts';
import { uuidv5 } from '../../../../src/domain/uuidv5.ts';
import { isComparable } from '../../../../src/http/gateway/sameBody.ts';
import { eventually } from '../../../eventually.ts';
import { ALICE, type Gateway, startGateway } from './gatewayServer.ts';

const PING = '65f46430c6d8985974ff9c9d';
const TEXT = '7472696275746172790a7478';
const SPEECH = '668115d123bca7e3509723d4';
const OTHER_BODY = 'This Idempotency-Key was used with another body. Use a new key.';

const dataDir = mkdtempSync(join(tmpdir(), 'tributary-repeated-'));
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway(dataDir, {
    maxBytes: 100_000_000,
    guard: { allow: parseRanges('127.0.0.1'), resolve: async () => [] },
    speechServer: { url: 'http://127.0.0.1:9', apiKey: null, model: null, timeoutMilliseconds: 1_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Uploads under one key. Answers `[status, stream or message]`. */
const underKey = (key: string = randomUUID()) => {
  return async (body: RequestInit['body'], template = PING, more: RequestInit = {}) => {
    const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${template}`, {
      method: 'POST',
      headers: { 'Idempotency-Key': key },
      body: body ?? null,
      ...more,
    });
    const answer = (await response.json()) as { streamId?: string; message?: string };
    return [response.status, answer.streamId ?? answer.message];
  };
};

const form = (file: string, fields: Record<string, string> = {}, configuration?: object): FormData => {
  const data = new FormData();
  if (configuration) data.append('configuration', new Blob([JSON.stringify(configuration)], { type: 'application/json' }));
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append('file', new Blob([file]), 'file.txt');
  return data;
};

const inPieces = (...pieces: Uint8Array<ArrayBuffer>[]): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

test('repeats the answer for the same body, however it is sent', async () => {
  const send = underKey();
  const bytes = randomBytes(3_000_000);
  const first = await send(bytes);
  expect(first).toEqual([200, expect.any(String)]);
  expect(await send(bytes)).toEqual(first);
  const unannounced: RequestInit = { duplex: 'half' };
  expect(await send(inPieces(bytes.subarray(0, 10), bytes.subarray(10)), PING, unannounced)).toEqual(first);
});

test.each([
  ['the same length', Buffer.from('aaaa'), Buffer.from('aaab')],
  ['another length', Buffer.from('aaaa'), Buffer.from('aaaaa')],
  ['a much larger one', Buffer.from('aaaa'), Buffer.alloc(20_000_000)],
  ['a large one of the same length', Buffer.alloc(5_000_000), Buffer.alloc(5_000_000, 1)],
])('answers another body of %s with 409, which the client sees', async (_, one, other) => {
  const send = underKey();
  const first = await send(one);
  expect(await send(other)).toEqual([409, OTHER_BODY]);
  expect(await send(other, PING, { body: inPieces(other), duplex: 'half' })).toEqual([409, OTHER_BODY]);
  expect(await send(one)).toEqual(first);
});

test('counts the configuration part and the fields of a form, but not the order of patches', async () => {
  const send = underKey();
  const first = await send(form('text', {}, { patches: { summary: true, ask0: 'Why?' } }), TEXT);
  expect(await send(form('text', {}, { patches: { ask0: 'Why?', summary: true } }), TEXT)).toEqual(first);
  expect(await send(form('text', {}, { patches: { summary: false, ask0: 'Why?' } }), TEXT)).toEqual([409, OTHER_BODY]);
  expect(await send(form('text'), TEXT)).toEqual([409, OTHER_BODY]);
  expect(await send(form('Text', {}, { patches: { summary: true, ask0: 'Why?' } }), TEXT)).toEqual([409, OTHER_BODY]);
  expect((await send(form('text', { summary: 'true' }), TEXT))[0]).toBe(409);
});

test('compares links as links', async () => {
  const media = createServer((_, response) => response.end('sound'));
  await new Promise<void>((ready) => media.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void media.close());
  const url = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
  const send = underKey();
  const first = await send(`${url}/one`, SPEECH);
  expect(first).toEqual([200, expect.any(String)]);
  expect(await send(`${url}/one\n`, SPEECH)).toEqual(first);
  expect(await send(`${url}/two`, SPEECH)).toEqual([409, OTHER_BODY]);
  expect(await send('sound', SPEECH)).toEqual([409, OTHER_BODY]);
  const bytes = underKey();
  await bytes('sound', SPEECH);
  expect(await bytes(`${url}/one`, SPEECH)).toEqual([409, OTHER_BODY]);
});

test('keeps the keys of earlier versions, which have no hash, and of canceled uploads valid for any body', async () => {
  const send = underKey();
  const [, streamId] = await send('one');
  const stream = await gateway.streamOf(String(streamId));
  if (!stream?.idempotency) throw new Error('a stream under a key');
  const { body: hash, ...idempotency } = stream.idempotency;
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect([isComparable(stream), isComparable({ ...stream, idempotency })]).toEqual([true, false]);

  const key = randomUUID();
  const id = uuidv5(ALICE, key);
  const again = underKey(key);
  const waiting = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('part')) });
  const first = again(null, PING, { body: waiting, duplex: 'half' }).catch(() => null);
  await eventually(async () => expect(await gateway.streamOf(id)).not.toBeNull());
  await gateway.cancel(id);
  await first;
  expect(await again(form('x'.repeat(2_000_000)))).toEqual([200, id]);
});
