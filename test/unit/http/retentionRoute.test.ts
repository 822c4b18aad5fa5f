import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import { retentionRoutes } from '../../../src/http/streams/retentionRoutes.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { ProjectedStream } from './projectedStream.ts';
import { bodyOf, OWNER, served } from './served.ts';

const HOUR = 3_600_000;
const retention = { ephemeral: 60_000, persistent: HOUR, longest: 24 * HOUR };

interface Retention {
  readonly streamId: string;
  readonly until: string | null;
  readonly latest: string | null;
}

const aStream = async (limits = retention) => {
  const clock = new ManualClock();
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
  const readModels = new MemoryReadModels();
  const call = await served(retentionRoutes({ readModels, log, clock, retention: limits }), readModels, clock);
  const streamId = randomUUID();
  const context = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  const created = streamCreated([link('echo', null, 'live')], { streamId, creatorId: OWNER, groupCreatorId: OWNER });
  const first = await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created], context);
  const path = (id: string = streamId) => `/stream-service/api/v1/streams/${id}/retention`;
  const keep = (until: unknown, as = 'owner', id: string = streamId) =>
    call(path(id), as, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ until }) });
  const at = (milliseconds: number) => new Date(clock.now() + milliseconds).toISOString();
  return { call, keep, log, streamId, clock, at, path, readModels, first, context };
};

describe('the retention of a stream', () => {
  test('moves up to the maximum, earlier too, and the log records who moved it', async () => {
    const { keep, log, streamId, at } = await aStream();
    const response = await keep(at(2 * HOUR));
    expect(response.status).toBe(200);
    expect(await bodyOf<Retention>(response)).toEqual({ streamId, until: at(2 * HOUR), latest: at(24 * HOUR) });
    expect((await keep(at(2 * HOUR))).status).toBe(200);
    const events = await log.readStream(`stream-${streamId}`);
    expect(events.slice(1)).toMatchObject([{ type: 'RetentionSet', data: { until: at(2 * HOUR) }, metadata: { actor: 'owner' } }]);
    const refused = async (until: unknown) => {
      const answer = await keep(until);
      return [answer.status, (await bodyOf<ErrorResponse>(answer)).message];
    };
    expect(await refused(at(-HOUR))).toEqual([400, expect.stringContaining('passed')]);
    expect(await refused(null)).toEqual([400, expect.stringContaining(at(24 * HOUR))]);
    expect(await refused(at(24 * HOUR + 1))).toEqual([400, expect.stringContaining(at(24 * HOUR))]);
    expect(await refused('tomorrow')).toEqual([400, expect.stringContaining('ISO 8601')]);
    expect(await refused(5)).toEqual([400, expect.any(String)]);
    expect((await log.readStream(`stream-${streamId}`)).length).toBe(2);
    expect(await bodyOf<Retention>(keep(at(HOUR)))).toMatchObject({ until: at(HOUR) });
  });

  test('is endless on request, if the server has no bound', async () => {
    const { keep, call, path, log, streamId } = await aStream({ ...retention, longest: 0 });
    expect(await bodyOf<Retention>(keep(null))).toEqual({ streamId, until: null, latest: null });
    expect((await log.readStream(`stream-${streamId}`)).at(-1)).toMatchObject({ type: 'RetentionSet', data: { until: null } });
    expect((await call(path(randomUUID()))).status).toBe(404);
  });

  test('is 409 for an expired stream and for one that is due', async () => {
    const { keep, log, streamId, at, clock, context } = await aStream();
    const append = async (type: 'StreamCompleted' | 'StreamExpired') => {
      const last = (await log.readStream(`stream-${streamId}`)).at(-1);
      if (!last) throw new Error('no events');
      const event = type === 'StreamCompleted' ? { type, data: {} } : { type, data: { reason: 'Retention' } };
      await log.append(`stream-${streamId}`, { revision: last.revision, hash: last.metadata.hash }, [event], context);
    };
    await append('StreamCompleted');
    await clock.advance(59_000);
    expect((await keep(at(HOUR))).status).toBe(409);
    await append('StreamExpired');
    expect((await keep(at(HOUR))).status).toBe(409);
  });

  test("is 404 for others' streams, also for admins, and for unknown ones", async () => {
    const { keep, at } = await aStream();
    for (const as of ['other', 'gateway', 'admin']) expect((await keep(at(HOUR), as)).status).toBe(404);
    for (const id of [randomUUID(), 'no-uuid']) expect((await keep(at(HOUR), 'owner', id)).status).toBe(404);
  });

  test('is shown to everyone who may see the stream', async () => {
    const { call, path, readModels } = await aStream();
    const streamId = randomUUID();
    const processors = [{ id: 'echo', schema: 'bytes' }];
    const story = new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors });
    const seen = () => bodyOf<Retention>(call(path(streamId)));
    expect((await seen()).until).toBeNull();
    story.completeAll();
    expect(await seen()).toEqual({ streamId, until: '2026-01-01T01:00:04.000Z', latest: '2026-01-02T00:00:04.000Z' });
    story.tell({ type: 'RetentionExtended', data: { until: '2026-01-01T12:00:00.000Z' } });
    expect((await seen()).until).toBe('2026-01-01T12:00:00.000Z');
    story.tell({ type: 'StreamExpired', data: { reason: 'Retention' } });
    expect(await seen()).toEqual({ streamId, until: null, latest: null });
    expect((await call(path(streamId), 'other')).status).toBe(404);
  });
});
