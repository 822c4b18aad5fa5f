import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { streamEventsRoute } from '../../../src/http/streams/streamEventsRoute.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ProjectedStream } from './projectedStream.ts';
import { bodyOf, OWNER, served } from './served.ts';

/** A stream that was renamed, and its log. */
const renamedStream = async (names: readonly string[]) => {
  const keys = new MemoryKeys();
  const log = openEventLog({ store: new MemoryEventStore(), keys, schemas: EVENT_SCHEMAS, clock: systemClock });
  const readModels = new MemoryReadModels();
  const streamId = randomUUID();
  new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors: [] });
  const context = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  const renamed = names.map((name) => ({ type: 'StreamRenamed' as const, data: { name } }));
  const created = streamCreated([link('echo', null, 'live')], { streamId, creatorId: OWNER, groupCreatorId: OWNER });
  await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created, ...renamed], context);
  return { log, readModels, streamId };
};

const NAMES = Array.from({ length: 200 }, (_, n) => `name ${n}`);

test('reads the events of a stream in order, in small batches as its reader takes them', async () => {
  const { log, readModels, streamId } = await renamedStream(NAMES);
  const limits: (number | undefined)[] = [];
  const watched = Object.assign(Object.create(log), {
    readStream: (...[eventStream, options]: Parameters<typeof log.readStream>) => {
      limits.push(options?.limit);
      return log.readStream(eventStream, options);
    },
  });
  const call = await served([streamEventsRoute({ readModels, log: watched })], readModels, systemClock);
  const { content } = await bodyOf<{ content: { revision: string; data: { name?: string } }[] }>(
    await call(`/stream-service/api/v1/streams/${streamId}/events`, 'owner'),
  );
  expect(content.map(({ revision }) => Number(revision))).toEqual(Array.from({ length: 201 }, (_, n) => n));
  expect(content.slice(1).map(({ data }) => data.name)).toEqual(NAMES);
  expect(limits.length).toBeGreaterThan(4);
  expect(Math.max(...limits.map((limit = Number.POSITIVE_INFINITY) => limit))).toBeLessThanOrEqual(50);
});
