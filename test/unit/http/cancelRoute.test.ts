import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { Stream } from '../../../src/domain/stream/streamResource.ts';
import { bodyOf, OWNER } from './served.ts';
import { servedStream } from './servedStream.ts';

const streamAfter = async (...events: StreamEvent[]) => {
  const { call, store, streamId } = await servedStream(...events);
  const cancel = (as = 'owner', id = streamId) => call(`/stream-service/api/v1/streams/${id}/cancel`, as, { method: 'PUT' });
  return { cancel, store };
};

const UPLOADED: StreamEvent = { type: 'UploadCompleted', data: { bytes: 1, frames: 1, sha256: 'ab'.repeat(32) } };

describe('cancelling', () => {
  test.each(['owner', 'gateway', 'admin'])("by the %s fails the stream as canceled by the user, under the owner's subject", async (as) => {
    const { cancel, store } = await streamAfter();
    const response = await cancel(as);
    expect(response.status).toBe(200);
    expect(await bodyOf<Stream>(response)).toMatchObject({ state: 'FAILED', stateDescription: 'Canceled by user', creatorId: OWNER });
    const last = store.events.at(-1);
    expect(store.events.map(({ type }) => type)).toContain('StreamCanceled');
    expect(last?.metadata).toMatchObject({ subject: OWNER, actor: as, $correlationId: response.headers.get('x-correlation-id') });
  });

  test.each(['other', 'auditor'])('by the %s is 404 and appends nothing', async (as) => {
    const { cancel, store } = await streamAfter();
    const before = store.events.length;
    expect((await cancel(as)).status).toBe(404);
    expect(store.events).toHaveLength(before);
  });

  test('an unknown stream is 404', async () => {
    const { cancel } = await streamAfter();
    expect((await cancel('owner', randomUUID())).status).toBe(404);
  });

  test('is idempotent: it answers 200 and appends nothing', async () => {
    const { cancel, store } = await streamAfter();
    await cancel();
    const before = store.events.length;
    const again = await cancel();
    expect(again.status).toBe(200);
    expect((await bodyOf<Stream>(again)).state).toBe('FAILED');
    expect(store.events).toHaveLength(before);
  });

  test.each<[string, StreamEvent[]]>([
    ['COMPLETED', [UPLOADED, { type: 'StreamCompleted', data: {} }]],
    ['EXPIRED', [UPLOADED, { type: 'StreamCompleted', data: {} }, { type: 'StreamExpired', data: { reason: 'retention' } }]],
  ])('a stream that is %s is 409', async (_, events) => {
    const { cancel } = await streamAfter(...events);
    const response = await cancel();
    expect(response.status).toBe(409);
    expect(await bodyOf<ErrorResponse>(response)).toMatchObject({ internalErrorName: 'GENERAL_CONFLICT_ERROR' });
  });
});
