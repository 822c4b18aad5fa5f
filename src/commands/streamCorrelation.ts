import { isStreamEvent, streamEventStream } from '../domain/stream/events.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { pages } from '../stores/pages.ts';
import { memoryOf } from './memory.ts';
import { holderOf } from './openStreams/openStreams.ts';

const PAGE = 100;

/** Skips the look-up if this node knows the request of the attempt. */
export const rememberCorrelation = (log: EventLog, streamId: string, correlationId: string, attempt = 1): void => {
  memoryOf(log).correlations.set(holderOf(streamId, attempt), correlationId);
};

/** For log lines: the correlation id of an attempt that this node recently worked on. */
export const knownCorrelation = (log: EventLog, streamId: string, attempt = 1): string | undefined =>
  memoryOf(log).correlations.get(holderOf(streamId, attempt));

/**
 * The correlation id of the request for an attempt of a stream, which all events of the attempt carry: one id finds everything the request caused.
 * The stream's own id if the stream does not exist. Rejects with `StoreUnavailable`.
 */
export const correlationOf = async (log: EventLog, streamId: string, attempt = 1): Promise<string> => {
  const known = knownCorrelation(log, streamId, attempt);
  if (known !== undefined) return known;
  const begun =
    attempt === 1 ? (await log.readStream(streamEventStream(streamId), { limit: 1 }))[0] : await rerunOf(log, streamId, attempt);
  if (!begun) return streamId;
  rememberCorrelation(log, streamId, begun.metadata.$correlationId, attempt);
  return begun.metadata.$correlationId;
};

/** The event that started a rerun. It is searched from the end of the event stream, where it usually is. */
const rerunOf = async (log: EventLog, streamId: string, attempt: number): Promise<RecordedEvent | undefined> => {
  const name = streamEventStream(streamId);
  const backwards = pages<RecordedEvent>(
    (last) => log.readStream(name, { direction: 'backwards', limit: PAGE, ...(last && { from: last.revision - 1n }) }),
    PAGE,
  );
  for await (const page of backwards) {
    const found = page.find((event) => isStreamEvent(event) && event.type === 'RerunStarted' && event.data.attempt === attempt);
    if (found || page.at(-1)?.revision === 0n) return found;
  }
  return undefined;
};
