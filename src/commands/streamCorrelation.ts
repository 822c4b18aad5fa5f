import { LRUCache } from 'lru-cache';
import { streamEventStream } from '../domain/stream/events.ts';
import type { EventLog } from '../stores/log/eventLog.ts';

const REMEMBERED = 10_000;
const memories = new WeakMap<EventLog, LRUCache<string, string>>();

const memoryOf = (log: EventLog): LRUCache<string, string> => {
  const known = memories.get(log);
  if (known) return known;
  const memory = new LRUCache<string, string>({ max: REMEMBERED });
  memories.set(log, memory);
  return memory;
};

/** The request that made a stream was this one: spares the look-up. */
export const rememberCorrelation = (log: EventLog, streamId: string, correlationId: string): void => {
  memoryOf(log).set(streamId, correlationId);
};

/** For log lines: of a stream that this node has lately worked for. */
export const knownCorrelation = (log: EventLog, streamId: string): string | undefined => memoryOf(log).get(streamId);

/**
 * The correlation id of the request that made a stream: what goes on for the stream later carries it too, so that one id finds all of a stream's
 * story. The stream's own id when there is no such stream. Rejects with `StoreUnavailable`.
 */
export const correlationOf = async (log: EventLog, streamId: string): Promise<string> => {
  const known = knownCorrelation(log, streamId);
  if (known !== undefined) return known;
  const [created] = await log.readStream(streamEventStream(streamId), { limit: 1 });
  if (!created) return streamId;
  rememberCorrelation(log, streamId, created.metadata.$correlationId);
  return created.metadata.$correlationId;
};
