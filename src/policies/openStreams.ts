import { deleteUnredacted } from '../commands/deleteUnredacted.ts';
import { loadStream, loadStreamWith } from '../commands/loadStream.ts';
import type { Expiries } from '../commands/openStreams/expiries.ts';
import { heldFor, holderOf, OPEN_STREAMS, type RunningStream, type RunningStreams } from '../commands/openStreams/openStreams.ts';
import { attemptIs } from '../commands/openStreams/places.ts';
import type { ResumableUploads } from '../commands/resumableUploads.ts';
import { ATTEMPT_ENDS, attemptOf, isStreamEvent, type StreamEvent, streamEventStream, streamIdOf } from '../domain/stream/events.ts';
import type { RetentionPeriods } from '../domain/stream/retention.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { StoreUnavailable } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import { expiryOfEnded, isExpiryByTime } from './expiring.ts';

export interface OpenStreamsDeps extends ConsumerDeps {
  readonly runningStreams: RunningStreams;
  readonly expiries: Expiries;
  readonly resumableUploads: Pick<ResumableUploads, 'get'>;
  readonly periods: RetentionPeriods;
  readonly topics: Topics;
}

const BEGINS: readonly string[] = ['StreamCreated', 'RerunStarted'] satisfies StreamEvent['type'][];
const MOVES: readonly string[] = ['RerunStarted', 'RetentionSet', 'RetentionExtended'] satisfies StreamEvent['type'][];
const ENDS: readonly string[] = ATTEMPT_ENDS;
const EXPIRED: string = 'StreamExpired' satisfies StreamEvent['type'];
const TYPES = [...new Set([...BEGINS, ...MOVES, ...ENDS, EXPIRED])];
/** A place is reserved before its stream is created: a younger one may still be waiting. */
const ARRIVAL_MILLISECONDS = 60_000;
const SWEEP_MILLISECONDS = 600_000;
const LOADED_TOGETHER = 32;

/**
 * Keeps the collection of open streams: a running stream has a place, an ended one the time from which its retention counts, an expired one nothing. Of
 * an ended one with redaction, it deletes what came before. It follows the log, so lost documents are rebuilt by reading it again, and those that the log does not know are swept. Runs until the signal aborts.
 */
export const runOpenStreamsPolicy = async (deps: OpenStreamsDeps, signal: AbortSignal): Promise<void> => {
  const consumer: Consumer = {
    name: OPEN_STREAMS.name,
    types: TYPES,
    handle: (events) => follow(deps, events),
    settle: () => deps.runningStreams.store(),
  };
  await Promise.all([runConsumer(deps, consumer, signal), sweepPlaces(deps, signal)]);
};

/** The changes of one stream in some events. */
interface Seen {
  readonly owner: string;
  /** The attempt that runs; `null` if it has ended. */
  running: string | null;
  readonly ended: Set<string>;
  expired: boolean;
  /** Its time has changed. */
  moved: boolean;
  /** Of the last event. */
  revision: bigint;
}

const seenIn = (events: readonly RecordedEvent[]): Map<string, Seen> => {
  const streams = new Map<string, Seen>();
  for (const event of events) {
    if (!isStreamEvent(event) || isExpiryByTime(event)) continue;
    const { type, eventStream, revision, metadata } = event;
    const streamId = streamIdOf(eventStream);
    const found = streams.get(streamId);
    const seen = found ?? { owner: metadata.subject, running: null, ended: new Set<string>(), expired: false, moved: false, revision };
    if (!found) streams.set(streamId, seen);
    const holder = holderOf(streamId, attemptOf(event));
    if (BEGINS.includes(type)) seen.running = holder;
    if (ENDS.includes(type)) {
      seen.running = null;
      seen.ended.add(holder);
    }
    seen.expired ||= type === EXPIRED;
    seen.moved ||= MOVES.includes(type);
    seen.revision = revision;
  }
  return streams;
};

const follow = async (deps: OpenStreamsDeps, events: readonly RecordedEvent[]): Promise<void> => {
  const { log, runningStreams } = deps;
  const streams = seenIn(events);
  await Promise.all([...streams].map(([streamId, seen]) => settle(deps, streamId, seen)));
  const running = [...streams.values()].flatMap(({ owner, running: holder }) => (holder === null ? [] : [{ owner, holder }]));
  // On a repeated read it may have ended since: a place would block its user until its end is read again too.
  const stillRuns = async (holder: string) => attemptIs(await loadStream(log, heldFor(holder).streamId), holder) === 'running';
  await runningStreams.ensure(running, stillRuns);
};

const settle = async (deps: OpenStreamsDeps, streamId: string, seen: Seen): Promise<void> => {
  const { expiries, runningStreams } = deps;
  const { owner, ended, expired, moved } = seen;
  for (const holder of ended) await runningStreams.release(owner, holder);
  // Its bytes were deleted before the event.
  if (expired) return expiries.remove(streamId);
  // The time of a rerun counts from its end; the owner's request replaces the noted time.
  if (moved) await expiries.removeUnlessRequested(streamId);
  if (moved || ended.size > 0) await note(deps, streamId, seen);
};

const note = async (deps: OpenStreamsDeps, streamId: string, { revision }: Seen): Promise<void> => {
  const { log, expiries, topics, clock } = deps;
  const loaded = await loadStreamWith(log, { eventStream: streamEventStream(streamId), revision });
  const expiry = loaded && (await expiryOfEnded(deps, loaded));
  if (!expiry) return;
  const isRedacted = await deleteUnredacted(topics, loaded).then(() => true, unlessAway);
  // The retention policy repeats the deletion, so that a store that is away does not hold up other streams.
  await expiries.note(isRedacted ? expiry : { ...expiry, retention: 'unredacted', since: clock.now() });
};

const unlessAway = (error: unknown): false => {
  if (error instanceof StoreUnavailable) return false;
  throw error;
};

/**
 * Releases places whose stream has ended, and those older than a minute whose stream was not created: now and every ten minutes. A command whose answer
 * was lost may leave one.
 */
const sweepPlaces = async (deps: OpenStreamsDeps, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      const all = await deps.runningStreams.running();
      for (let n = 0; n < all.length; n += LOADED_TOGETHER)
        await Promise.all(all.slice(n, n + LOADED_TOGETHER).map((stream) => judge(deps, stream)));
    } catch (error) {
      if (!signal.aborted) deps.logger.warn({ err: error }, 'sweeping the places of ended streams failed; repeating later');
    }
    await deps.clock.pause(SWEEP_MILLISECONDS, signal);
  }
};

const judge = async (
  { log, clock, runningStreams, resumableUploads }: OpenStreamsDeps,
  { owner, holder, since }: RunningStream,
): Promise<void> => {
  const loaded = await unlessDamaged(loadStream(log, heldFor(holder).streamId), 'damaged');
  if (loaded === 'damaged') return;
  const state = attemptIs(loaded, holder);
  const isLate = state === 'awaited' && since < clock.now() - ARRIVAL_MILLISECONDS && !(await resumableUploads.get(holder));
  if (state === 'ended' || isLate) await runningStreams.release(owner, holder);
};
