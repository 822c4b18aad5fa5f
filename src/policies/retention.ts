import type { Expiries } from '../commands/expiries.ts';
import { loadStreamWith } from '../commands/loadStream.ts';
import type { StreamEvent } from '../domain/stream/events.ts';
import { expiryOf, type RetentionPeriods } from '../domain/stream/retention.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import type { LiveReaders } from '../stores/leases/liveReaders.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';
import { Expiring } from './expiring.ts';
import { sweepTopics } from './topicSweep.ts';

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

const MOVES: readonly string[] = ['RerunStarted', 'RetentionExtended'] satisfies StreamEvent['type'][];

const noteEnds = async ({ log, expiries, periods, clock }: RetentionDeps, events: readonly RecordedEvent[]): Promise<void> => {
  const streams = new Map<string, Seen>();
  for (const { type, eventStream, revision } of events) {
    const seen = streams.get(eventStream) ?? { expired: false, moved: false };
    streams.set(eventStream, { expired: seen.expired || type === 'StreamExpired', moved: seen.moved || MOVES.includes(type), revision });
  }
  const settle = async ([eventStream, { expired, moved, revision }]: [string, Seen]): Promise<void> => {
    const streamId = eventStream.slice('stream-'.length);
    // Its bytes were deleted before the event.
    if (expired) return expiries.remove(streamId);
    // The time of a rerun counts from its end; the owner's request replaces the noted time.
    if (moved) await expiries.removeUnlessRequested(streamId);
    const loaded = await loadStreamWith(log, { eventStream, revision });
    if (!loaded || loaded.stream.state === 'EXPIRED' || loaded.stream.finalizedTimestamp === null) return;
    const expiry = expiryOf(loaded, periods, clock.now());
    if (loaded.keptUntil !== undefined && Date.parse(loaded.keptUntil) === expiry)
      return expiries.note({ streamId, retention: 'kept', since: expiry });
    const since = Date.parse(loaded.stream.finalizedTimestamp);
    await expiries.note({ streamId, retention: loaded.persist ? 'persistent' : 'ephemeral', since });
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
