import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import type { Stream } from '../../../src/domain/stream/streamResource.ts';
import { streamRoutes } from '../../../src/http/streams/streamRoutes.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { bodyOf, OWNER, served } from './served.ts';

const aStream = async () => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: systemClock });
  const readModels = new MemoryReadModels();
  const call = await served(
    streamRoutes({ readModels, log, topics: new MemoryTopics(systemClock), clock: systemClock }),
    readModels,
    systemClock,
  );
  const streamId = randomUUID();
  const created = streamCreated([link('echo', null, 'live')], { streamId, creatorId: OWNER, groupCreatorId: OWNER });
  const context = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created], context);
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
    ['no name', {}],
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
