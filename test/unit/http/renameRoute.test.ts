import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import type { Stream } from '../../../src/domain/stream/streamResource.ts';
import { bodyOf, OWNER } from './served.ts';
import { servedStream } from './servedStream.ts';

const aStream = async () => {
  const { call, store, log, streamId } = await servedStream();
  const rename = (body: unknown, as = 'owner', id: string = streamId) =>
    call(`/stream-service/api/v1/streams/${id}`, as, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { rename, store, log, streamId };
};

describe('renaming a stream', () => {
  test.each(['owner', 'admin'])('by the %s answers with the new name, which the log stores encrypted', async (as) => {
    const { rename, store, log, streamId } = await aStream();
    const response = await rename({ name: 'Monday call' }, as);
    expect(response.status).toBe(200);
    expect(await bodyOf<Stream>(response)).toMatchObject({ streamId, name: 'Monday call', state: 'READY' });
    const last = store.events.at(-1);
    expect(last).toMatchObject({ type: 'StreamRenamed', metadata: { subject: OWNER, actor: as } });
    expect(JSON.stringify(last?.data)).not.toContain('Monday call');
    expect((await log.readStream(`stream-${streamId}`)).at(-1)?.data).toEqual({ name: 'Monday call' });
  });

  test('to the same name appends nothing', async () => {
    const { rename, store } = await aStream();
    await rename({ name: 'x' });
    expect((await rename({ name: 'x' })).status).toBe(200);
    expect(store.events.filter(({ type }) => type === 'StreamRenamed')).toHaveLength(1);
  });

  test.each([
    ['an empty name', { name: '' }],
    ['a name over 255 characters', { name: 'x'.repeat(256) }],
    ['nothing', {}],
    ['a blank label', { labels: ['a', ' '] }],
    ['a label over 64 characters', { labels: ['x'.repeat(65)] }],
    ['more than 20 labels', { labels: Array.from({ length: 21 }, (_, n) => `l${n}`) }],
    ['another member', { name: 'x', state: 'COMPLETED' }],
  ])('refuses %s', async (_, body) => {
    const { rename, store } = await aStream();
    const response = await rename(body);
    expect([response.status, (await bodyOf<ErrorResponse>(response)).internalErrorName]).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect(store.events).toHaveLength(1);
  });

  test("is 404 for another's stream, also for a gateway, and for an unknown one", async () => {
    const { rename } = await aStream();
    for (const as of ['other', 'gateway']) expect((await rename({ name: 'x' }, as)).status).toBe(404);
    expect((await rename({ name: 'x' }, 'owner', randomUUID())).status).toBe(404);
    expect((await rename({ name: 'x' }, 'owner', 'no-uuid')).status).toBe(404);
  });
});
