import { loadStream } from '../commands/loadStream.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { Leases } from '../stores/leases/leases.ts';
import type { ObjectStorage } from '../stores/objectStorage.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';
import { Expiring, type ExpiringDeps } from './expiring.ts';

export interface RetentionDeps extends ExpiringDeps {
  readonly leases: Leases;
  /** Whether a topic is kept although it is not sealed, or its stream does not exist. */
  readonly isKept: (topic: string) => Promise<boolean>;
  readonly objectStorage?: Pick<ObjectStorage, 'tidy'> | null;
}

const LEASE = 'retention';
const SWEEP_MILLISECONDS = 3_600_000;

/**
 * Deletes results when their retention time is over, and topics that crashes have left behind. Runs on one node at a time until the signal aborts.
 */
export const runRetentionPolicy = (deps: RetentionDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'expiring streams failed; retrying');
  return underLease((holding) => expire(deps, holding), { leases, name: LEASE, clock, signal, onFailure });
};

const expire = async (deps: RetentionDeps, { signal, progressed }: Holding): Promise<void> => {
  const expiring = new Expiring(deps);
  let sweeping: Promise<void> = Promise.resolve();
  let sweep = 0;
  try {
    while (!signal.aborted) {
      if (deps.clock.monotonic() >= sweep) {
        sweep = deps.clock.monotonic() + SWEEP_MILLISECONDS;
        sweeping = sweeping.then(() => sweepTopics(deps, signal));
      }
      await expiring.due();
      progressed();
      await expiring.wait(sweep - deps.clock.monotonic(), signal);
    }
  } finally {
    await sweeping;
  }
};

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
    await deps.objectStorage?.tidy(signal);
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
const withoutStream = async ({ expiries, isKept, log }: RetentionDeps, sealed: readonly Sealed[]): Promise<Sealed[]> => {
  const noted = await expiries.noted(sealed.map(({ streamId }) => streamId));
  const found: Sealed[] = [];
  for (const one of sealed) {
    if (noted.has(one.streamId)) continue;
    // The data of a damaged event stream stay: it may be repaired.
    const loaded = await unlessDamaged(loadStream(log, one.streamId), 'damaged');
    if (loaded === 'damaged' || (loaded && loaded.stream.state !== 'EXPIRED')) continue;
    if (!(await isKept(one.topic))) found.push(one);
  }
  return found;
};
