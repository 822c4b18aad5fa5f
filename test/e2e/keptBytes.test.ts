import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { call, PING_TEMPLATE, upload } from './client.ts';
import { startServer } from './server.ts';

const KEPT = 100_000;
const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };

test('above KEPT_BYTES_PER_USER an upload gets 429, until streams are deleted', async () => {
  const { url } = await startServer({ environment: { KEPT_BYTES_PER_USER: String(KEPT) } });
  const tooLong = await upload(url, query, Buffer.alloc(KEPT + 1));
  expect(tooLong).toMatchObject({ status: 429, body: { internalErrorName: 'STREAM_USAGE_LIMIT_REACHED' } });
  expect(tooLong.headers.get('retry-after')).toBe('3600');
  const { status, body } = await upload(url, query, Buffer.alloc(KEPT));
  expect(status).toBe(200);
  const small = async () => (await upload(url, { ...query, persist: 'false' }, 'x')).status;
  // The sum of a user is used again for five seconds.
  await eventually(async () => (await small()) === 429);
  await call(url, `/stream-service/api/v1/streams/${body.streamId}`, { method: 'DELETE' });
  await eventually(async () => (await small()) === 200);
});
