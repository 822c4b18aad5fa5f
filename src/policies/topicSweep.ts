import { loadStream } from '../commands/loadStream.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { RetentionDeps } from './retention.ts';

const TOGETHER = 100;

/** A stream may be created shortly after its upload was sealed. */
const ARRIVAL_MILLISECONDS = 60_000;

/**
 * Deletes what crashes have left in topics and no expiry will find: topics without manifest whose writer is gone (except answers to webhooks), and
 * sealed uploads whose stream has expired or has not been created for a minute. Never rejects.
 */
export const sweepTopics = async (deps: RetentionDeps, signal: AbortSignal): Promise<void> => {
  const { topics, clock, logger } = deps;
  try {
    const { abandoned, unowned } = await lookThrough(deps, signal);
    if (unowned.length > 0 && (await clock.pause(ARRIVAL_MILLISECONDS, signal)) === 'aborted') return;
    const gone = await withoutStream(deps, unowned);
    await Promise.all(gone.map(({ topic }) => topics.delete(topic)));
    if (abandoned + gone.length > 0) logger.info({ topics: abandoned + gone.length }, 'orphaned topics deleted');
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'orphaned-topic sweep failed; retrying later');
  }
};

interface Sealed {
  readonly topic: string;
  readonly streamId: string;
}

/** Deletes abandoned topics, and returns the uploads that have no stream now. */
const lookThrough = async (deps: RetentionDeps, signal: AbortSignal): Promise<{ abandoned: number; unowned: Sealed[] }> => {
  let abandoned = 0;
  let batch: Sealed[] = [];
  const unowned: Sealed[] = [];
  for await (const { topic, manifest } of deps.topics.list()) {
    signal.throwIfAborted();
    // The gateway seals an upload with the id of its stream; the sinks of a run have none, and are deleted with their stream.
    const streamId = manifest?.attributes.streamId;
    if (!manifest) {
      const unneeded = !(await deps.isKept(topic)) && (await deps.topics.deleteAbandoned(topic));
      abandoned += unneeded ? 1 : 0;
    } else if (typeof streamId === 'string') batch.push({ topic, streamId });
    if (batch.length < TOGETHER) continue;
    unowned.push(...(await withoutStream(deps, batch)));
    batch = [];
  }
  unowned.push(...(await withoutStream(deps, batch)));
  return { abandoned, unowned };
};

/** Most belong to ended streams, which have notes; the log is read for the others. */
const withoutStream = async ({ expiries, log }: RetentionDeps, sealed: readonly Sealed[]): Promise<Sealed[]> => {
  const noted = await expiries.noted(sealed.map(({ streamId }) => streamId));
  const found: Sealed[] = [];
  for (const one of sealed) {
    if (noted.has(one.streamId)) continue;
    // The data of a damaged event stream stay: it may be repaired.
    const loaded = await unlessDamaged(loadStream(log, one.streamId), 'damaged');
    if (loaded !== 'damaged' && (!loaded || loaded.stream.state === 'EXPIRED')) found.push(one);
  }
  return found;
};
