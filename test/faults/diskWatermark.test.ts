import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY, startServer } from '../e2e/server.ts';
import { chunk, creation, standing } from '../e2e/tus.ts';
import { eventually } from '../eventually.ts';
import { smallDisk } from '../smallDisk.ts';
import { recovered } from './recovery.ts';

vi.setConfig({ testTimeout: 30_000 });

const MEBIBYTE = 1024 ** 2;
const query = { streamConfigurationTemplateId: PING_TEMPLATE };

/** The answer to a refused WebSocket. */
const refused = (url: string): Promise<{ status: number; retryAfter: unknown }> =>
  new Promise((resolve, reject) => {
    const address = `${url.replace('http', 'ws')}/ws-gateway/api/v1?${new URLSearchParams(query)}`;
    const socket = new WebSocket(address, { headers: { authorization: `Basic ${ADMIN_KEY}` } });
    socket.on('error', () => {});
    socket.once('unexpected-response', (_, { statusCode, headers }) =>
      resolve({ status: statusCode ?? 0, retryAfter: headers['retry-after'] }),
    );
    socket.once('open', () => reject(new Error('it was accepted')));
  });

/** A test server with some bytes behind its link. */
const linkedBytes = async (): Promise<string> => {
  const server = createServer((_, response) => response.end('linked bytes'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bytes`;
};

test('below the watermark every upload gets 503, everything else works, and readiness gives the reason, until there is room', async ({
  skip,
}) => {
  const disk = smallDisk(128) ?? skip('no file system can be mounted here');
  const server = await startServer({
    dataDir: join(disk.directory, 'data'),
    environment: { DISK_WATERMARK_BYTES: String(32 * MEBIBYTE), WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  });
  const before = await upload(server.url, query, 'before');
  expect(before.status).toBe(200);
  const link = await linkedBytes();

  const ballast = join(disk.directory, 'ballast');
  const { bavail, bsize } = statfsSync(disk.directory);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 16 * MEBIBYTE));
  const body = await eventually(async () => {
    const answer = await upload(server.url, query, 'some bytes');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('30');
    return answer.body;
  });
  expect(body).toMatchObject({
    statusCode: 503,
    internalErrorName: 'GENERAL_INTERNAL_ERROR',
    message: expect.stringContaining('no disk space'),
  });
  const linked = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE }, JSON.stringify({ url: link }), {
    headers: { 'content-type': 'application/json' },
  });
  expect(linked.status).toBe(503);
  expect(await refused(server.url)).toEqual({ status: 503, retryAfter: '30' });

  const credential = { kind: 'api-key', role: 'user', label: 'made on a nearly full disk' };
  expect((await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential })).status).toBeLessThan(300);
  expect((await getStream(server.url, before.body.streamId)).status).toBe(200);
  const ready = await call(server.url, '/health/ready', { key: null });
  expect(ready.status).toBe(200);
  expect(ready.body.checks.disk.reason).toContain('DISK_WATERMARK_BYTES');

  rmSync(ballast);
  await recovered('a disk below its watermark', () =>
    eventually(async () => expect((await upload(server.url, query, 'after')).status).toBe(200)),
  );
  expect((await call(server.url, '/health/ready', { key: null })).body.checks.disk).toEqual({ ok: true, reason: null });
});

test('an upload that would pass the watermark is refused by its length, or cut off there if it has none', async ({ skip }) => {
  const disk = smallDisk(96) ?? skip('no file system can be mounted here');
  const server = await startServer({
    dataDir: join(disk.directory, 'data'),
    environment: { DISK_WATERMARK_BYTES: String(48 * MEBIBYTE) },
  });
  expect((await upload(server.url, query, Buffer.alloc(80 * MEBIBYTE))).status).toBe(503);

  const id = '0b5c7e0a-2f7a-4f0e-9a57-2d4f0c6d8e11';
  const piece = new Uint8Array(MEBIBYTE);
  let left = 80;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left === 0) return controller.close();
      left -= 1;
      controller.enqueue(piece);
    },
  });
  const target = `${server.url}/http-gateway/api/v1/upload?${new URLSearchParams({ ...query, id })}`;
  const options = { method: 'POST', headers: { authorization: `Basic ${ADMIN_KEY}` }, body: endless, duplex: 'half' as const };
  const status = await fetch(target, options).then(
    (answer) => answer.status,
    // The answer may arrive while the body is still being sent, which fetch reports as a failure.
    () => 503,
  );
  expect(status).toBe(503);
  const failed = await eventually(async () => {
    const { body } = await getStream(server.url, id);
    return body.state === 'FAILED' && body;
  });
  expect(failed.state).toBe('FAILED');
  await recovered('an upload that was cut off at the watermark', () =>
    eventually(async () => expect((await upload(server.url, query, 'small')).status).toBe(200)),
  );
});

test('a resumable upload keeps its bytes below the watermark, and continues when there is room', async ({ skip }) => {
  const disk = smallDisk(128) ?? skip('no file system can be mounted here');
  const server = await startServer({
    dataDir: join(disk.directory, 'data'),
    environment: { DISK_WATERMARK_BYTES: String(32 * MEBIBYTE) },
  });
  const bytes = Buffer.alloc(2 * MEBIBYTE, 'abc');
  const create = (length: number) => creation(server.url, length, { query: String(new URLSearchParams({ ...query, persist: 'true' })) });
  expect((await create(120 * MEBIBYTE)).status).toBe(503);
  const created = await create(bytes.length);
  const location = created.headers.get('location') ?? '';
  expect((await chunk(server.url, location, 0, bytes.subarray(0, MEBIBYTE))).status).toBe(204);

  const ballast = join(disk.directory, 'ballast');
  const { bavail, bsize } = statfsSync(disk.directory);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 16 * MEBIBYTE));
  const rest = () => chunk(server.url, location, MEBIBYTE, bytes.subarray(MEBIBYTE));
  await eventually(async () => expect((await create(1)).status).toBe(503));
  expect((await rest()).status).toBe(503);
  expect((await standing(server.url, location)).headers.get('upload-offset')).toBe(String(MEBIBYTE));

  rmSync(ballast);
  await recovered('a resumable upload below the watermark', () => eventually(async () => expect((await rest()).status).toBe(204)));
  expect((await streamEnd(server.url, created.headers.get('tributary-stream-id') ?? '')).state).toBe('COMPLETED');
});
