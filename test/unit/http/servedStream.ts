import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { streamRoutes } from '../../../src/http/streams/streamRoutes.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { OWNER, served } from './served.ts';

/** The routes of streams over a log with one stream of the owner: its creation, then `events`. */
export const servedStream = async (...events: StreamEvent[]) => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: systemClock });
  const readModels = new MemoryReadModels();
  const call = await served(
    streamRoutes({
      templates: { idOf: async (_, text) => text },
      readModels,
      log,
      topics: new MemoryTopics(systemClock),
      clock: systemClock,
    }),
    readModels,
    systemClock,
  );
  const streamId = randomUUID();
  const created = streamCreated([link('echo', null, 'live')], { streamId, creatorId: OWNER, groupCreatorId: OWNER });
  const context = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created, ...events], context);
  return { call, store, log, streamId };
};
