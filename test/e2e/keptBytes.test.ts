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

test('administrators see what kept results take, by user, and what is deleted next', async () => {
  const { url } = await startServer({ environment: { KEPT_BYTES_PER_USER: '1000000' } });
  const credential = { kind: 'api-key', label: 'Bookkeeping', role: 'user' };
  const issued = await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential });
  const { secret: key, subject } = issued.body;
  const keptOf = async (as?: string) => call(url, '/operations-service/api/v1/kept-results', as === undefined ? {} : { key: as });
  const [large, small] = [Buffer.alloc(50_000), Buffer.alloc(1_000)];
  const lasting = await upload(url, query, large, { key });
  const brief = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, keepFor: 'PT1H' }, small, { key });
  const own = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, keepFor: 'P3D' }, small);
  for (const { status } of [lasting, brief, own]) expect(status).toBe(200);
  const { body } = await eventually(async () => {
    const answer = await keptOf();
    // The results of all three are there.
    return answer.body.bytes === 104_000 && answer.body.due.length === 2 && answer;
  });
  expect(body).toMatchObject({ users: 2, streams: 3, bytes: 104_000, limitBytes: 1_000_000 });
  expect(body.byUser).toMatchObject([
    { subject, names: ['Bookkeeping'], streams: 2, bytes: 102_000, dueStreams: 1, dueBytes: 2_000 },
    { streams: 1, bytes: 2_000, dueStreams: 0, dueBytes: 0 },
  ]);
  expect(body.due.map(({ streamId }: { streamId: string }) => streamId)).toEqual([brief.body.streamId, own.body.streamId]);
  const ends = (await call(url, `/stream-service/api/v1/streams/${brief.body.streamId}/retention`, { key })).body.until;
  expect(body.due[0]).toEqual({ streamId: brief.body.streamId, subject, bytes: 2_000, until: ends });
  expect((await keptOf(key)).status).toBe(403);
  await call(url, `/stream-service/api/v1/streams/${lasting.body.streamId}`, { method: 'DELETE', key });
  expect((await keptOf()).body).toMatchObject({ streams: 2, bytes: 4_000 });
});
