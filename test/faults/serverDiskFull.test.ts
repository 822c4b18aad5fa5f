import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Answer, call, getStream, PING_TEMPLATE, streamEnd, upload } from '../e2e/client.ts';
import { startServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { smallDisk } from '../smallDisk.ts';
import { recovered } from './recovery.ts';

vi.setConfig({ testTimeout: 60_000 });

const MEBIBYTE = 1024 ** 2;
const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
/** With these limits uploads would be refused before the disk is full. */
const environment = { DISK_WATERMARK_BYTES: '0', KEPT_BYTES_PER_USER: '0' };

const expectRefusal = ({ status, headers, body }: Answer): void => {
  expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(body).toMatchObject({ statusCode: 503, internalErrorName: 'GENERAL_INTERNAL_ERROR' });
};

test('a full disk refuses writes, serves reads, and loses nothing acknowledged', async ({ skip }) => {
  const disk = smallDisk(64) ?? skip('no file system can be mounted here');
  const dataDir = join(disk.directory, 'data');
  const server = await startServer({ dataDir, environment });
  const kept = new Map<string, string>();
  const uploadOne = async (): Promise<Answer> => {
    const body = randomBytes(20_000).toString('hex');
    const answer = await upload(server.url, query, body);
    if (answer.status === 200) kept.set(answer.body.streamId, body);
    return answer;
  };
  for (let n = 0; n < 5; n += 1) expect((await uploadOne()).status).toBe(200);

  disk.fill();
  // SQLite's preallocated space may hold one or two more commands.
  await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, uploadOne));
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer);
    return answers.every(({ status }) => status === 503);
  });
  const [first = ''] = kept.keys();
  expect((await getStream(server.url, first)).status).toBe(200);
  expect((await call(server.url, '/health/live', { key: null })).status).toBe(200);

  disk.free();
  await recovered('a full disk', () => eventually(async () => (await uploadOne()).status === 200));
  for (const [streamId, body] of kept) {
    expect((await streamEnd(server.url, streamId)).state, streamId).toBe('COMPLETED');
    const exported = await call(server.url, `/egress-service/api/v1/egress/live?streams=${streamId}&format=RAW`);
    expect(exported.text === body, `bytes of ${streamId}`).toBe(true);
  }
  const verified = await call(server.url, '/audit-service/api/v1/verify');
  expect(verified.body).toMatchObject({ ok: true, firstBroken: null });
});

test('an upload without room becomes a FAILED stream without bytes, and the next upload can use that room', async ({ skip }) => {
  const disk = smallDisk(24) ?? skip('no file system can be mounted here');
  const dataDir = join(disk.directory, 'data');
  mkdirSync(dataDir, { recursive: true });
  const server = await startServer({ dataDir, environment });
  const streamId = '3f0c7a52-0f3e-4a5c-9a51-1f2ad4fbb9d1';
  expectRefusal(await upload(server.url, { ...query, id: streamId }, Buffer.alloc(48 * MEBIBYTE)));
  const failed = await eventually(async () => {
    const { body } = await getStream(server.url, streamId);
    expect(body.state).toBe('FAILED');
    return body;
  });
  expect(failed.stateDescription).toEqual(expect.any(String));
  await recovered('an upload that was too large for the disk', () =>
    eventually(async () => {
      const { status, body } = await upload(server.url, query, Buffer.alloc(2 * MEBIBYTE, 1));
      return status === 200 && (await streamEnd(server.url, body.streamId)).state === 'COMPLETED';
    }, 20_000),
  );
});
