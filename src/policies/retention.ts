import type { Expiries } from '../commands/expiries.ts';
import { loadStream, loadStreamWith } from '../commands/loadStream.ts';
import { correlationOf } from '../commands/streamCorrelation.ts';
import type { StreamEvent } from '../domain/stream/events.ts';
import { expiryOf, hasOwnRetention, type RetentionPeriods } from '../domain/stream/retention.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { LiveReaders } from '../stores/leases/liveReaders.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';
import { Expiring, isExpiryByTime, NEVER } from './expiring.ts';

export interface RetentionDeps extends ConsumerDeps {
  readonly expiries: Expiries;
  readonly topics: Topics;
  readonly liveReaders: LiveReaders;
  readonly periods: RetentionPeriods;
  /** Whether a topic is kept although it is never sealed. */
  readonly isKept: (topic: string) => Promise<boolean>;
  /** No other process works on these stores. */
  readonly exclusive?: boolean;
}

const LEASE = 'retention';
const TYPES = [
  'StreamCompleted',
  'StreamFailed',
  'StreamCanceled',
  'RerunStarted',
  'RetentionSet',
  'RetentionExtended',
  'StreamExpired',
] satisfies StreamEvent['type'][];
const SWEEP_MILLISECONDS = 3_600_000;

/**
 * Deletes results when their retention time is over: notes every stream that ends, expires the streams that are due, and deletes topics that crashes
 * have left behind. The notes come from the log, so lost documents are rebuilt by reading it again. Runs until the signal aborts.
 */
export const runRetentionPolicy = async (deps: RetentionDeps, signal: AbortSignal): Promise<void> => {
  const noting: Consumer = { name: 'retention', types: TYPES, handle: (events) => noteEnds(deps, events) };
  await Promise.all([runConsumer(deps, noting, signal), expireUnderLease(deps, signal)]);
};

interface Seen {
  expired: boolean;
  /** Its time has changed. */
  moved: boolean;
  /** Of its last event. */
  revision: bigint;
}

const MOVES: readonly string[] = ['RerunStarted', 'RetentionSet', 'RetentionExtended'] satisfies StreamEvent['type'][];

const noteEnds = async ({ log, expiries, periods, clock }: RetentionDeps, events: readonly RecordedEvent[]): Promise<void> => {
  const streams = new Map<string, Seen>();
  for (const event of events) {
    if (isExpiryByTime(event)) continue;
    const { type, eventStream, revision } = event;
    const seen = streams.get(eventStream) ?? { expired: false, moved: false };
    streams.set(eventStream, { expired: seen.expired || type === 'StreamExpired', moved: seen.moved || MOVES.includes(type), revision });
  }
  const settle = async ([eventStream, { expired, moved, revision }]: [string, Seen]): Promise<void> => {
    const streamId = eventStream.slice('stream-'.length);
    // Its bytes were deleted before the event.
    if (expired) return expiries.remove(streamId);
    // The time of a rerun counts from its end; the owner's request replaces the noted time.
    if (moved) await expiries.removeUnlessRequested(streamId);
    const correlationId = await correlationOf(log, streamId);
    const loaded = await loadStreamWith(log, { eventStream, revision });
    if (!loaded || loaded.stream.state === 'EXPIRED' || loaded.stream.finalizedTimestamp === null) return;
    if (hasOwnRetention(loaded))
      return expiries.note({ streamId, retention: 'kept', since: expiryOf(loaded, periods, clock.now()) ?? NEVER, correlationId });
    const since = Date.parse(loaded.stream.finalizedTimestamp);
    await expiries.note({ streamId, retention: loaded.persist ? 'persistent' : 'ephemeral', since, correlationId });
  };
  await Promise.all([...streams].map(settle));
};

const expireUnderLease = (deps: RetentionDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'expiring streams failed; retrying');
  return underLease((holding) => expire(deps, holding), { leases, name: LEASE, clock, signal, onFailure });
};

const expire = async (deps: RetentionDeps, { signal, progressed }: Holding): Promise<void> => {
  const expiring = new Expiring(deps, signal);
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
