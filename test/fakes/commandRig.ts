import { openSlots } from '../../src/commands/slots/documentSlots.ts';
import type { UploadPlan } from '../../src/commands/upload.ts';
import { EVENT_SCHEMAS } from '../../src/domain/eventSchemas.ts';
import type { ChainLink } from '../../src/domain/stream/streamConfiguration.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { AppendContext } from '../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../src/stores/log/openEventLog.ts';
import { ManualClock } from '../manualClock.ts';
import { MemoryDocuments } from './memoryDocuments.ts';
import { MemoryEventStore } from './memoryEventStore.ts';
import { MemoryKeys } from './memoryKeys.ts';
import { MemoryTopics } from './memoryTopics.ts';
import { link, OWNER, STREAM, streamCreated } from './streamStory.ts';

export const BY: AppendContext = { subject: OWNER, actor: 'credential', correlationId: 'correlation', causationId: 'cause' };

/** The log with its codec over a store in memory, and the other dependencies of commands. `node()` is another node on the same stores. */
export const commandRig = (limit = 10) => {
  const store = new MemoryEventStore();
  const keys = new MemoryKeys();
  const clock = new ManualClock();
  const documents = new MemoryDocuments();
  const topics = new MemoryTopics(clock);
  const node = () => ({
    log: openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock }),
    keys,
    limits: DEFAULT_LIMITS,
    slots: openSlots({ documents, limit }),
    clock,
    topics,
  });
  return { store, keys, clock, documents, topics, deps: node(), node };
};

/** The types of an event stream's events, in order. */
export const typesOf = (store: MemoryEventStore, eventStream: string): string[] =>
  store.events.filter((event) => event.eventStream === eventStream).map(({ type }) => type);

/** An upload of a stream in a group of its own. */
export const planOf = (changes: Partial<UploadPlan> = {}, chain: ChainLink[] = [link('echo', null, 'live')]): UploadPlan => {
  const { creatorId, groupCreatorId: _, labels: __, ...facts } = streamCreated(chain).data;
  const streamId = changes.streamId ?? STREAM;
  return {
    ...facts,
    labels: [],
    fileName: null,
    owner: creatorId,
    webhooks: [],
    idempotency: null,
    streamId,
    groupId: streamId,
    ...changes,
  };
};
