import type { RerunQueues } from '../commands/reruns/rerunQueues.ts';
import { type QueueState, type StartQueuedDeps, startQueued } from '../commands/reruns/startQueued.ts';
import { Problem } from '../domain/problem.ts';
import { isRerunsEvent, type RerunsEvent } from '../domain/reruns/events.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { StoreUnavailable } from '../stores/eventStore.ts';
import { OVER } from '../supervision/aborted.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';

export interface RerunsDeps extends ConsumerDeps, StartQueuedDeps {
  readonly queues: RerunQueues;
}

const TYPES = ['BulkRerunRequested'] satisfies RerunsEvent['type'][];
/** How long to wait before the next look. A request that this node notes is seen at once; another node may note requests too. */
const PAUSE_MILLISECONDS = {
  /** There are no queues. */
  done: 5_000,
  /** Some were started: more may start soon. */
  more: 100,
  /** The limits of all users allow none. */
  later: 1_000,
} satisfies Record<QueueState, number>;
/** Users whose queues are processed at once. */
const USERS_TOGETHER = 64;

/**
 * Starts the reruns of bulk requests as limits allow. The users with waiting reruns are read from the log: lost documents are restored by reading
 * it again. Runs on one node at a time until the signal aborts.
 */
export const runRerunsPolicy = async (deps: RerunsDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger, queues } = deps;
  // Aborted when a request is noted, which ends the pause. Replaced before each round, so that a request during the round is not missed.
  let noted = new AbortController();
  const noting: Consumer = {
    name: 'reruns',
    types: TYPES,
    handle: async (events) => {
      const subjects = new Set(events.filter(isRerunsEvent).map(({ eventStream }) => eventStream.slice('reruns-'.length)));
      await Promise.all([...subjects].map((subject) => queues.note(subject)));
      noted.abort(OVER);
    },
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'starting queued reruns failed; retrying');
  const startAll = async ({ signal, progressed }: Holding): Promise<void> => {
    const failing = new Set<string>();
    while (!signal.aborted) {
      noted = new AbortController();
      const state = await round(deps, failing, signal);
      progressed();
      await clock.pause(PAUSE_MILLISECONDS[state], state === 'more' ? signal : AbortSignal.any([signal, noted.signal]));
    }
  };
  const starting = underLease(startAll, { leases, name: 'policy/reruns', clock, signal, onFailure });
  await Promise.all([runConsumer(deps, noting, signal), starting]);
};

/** Some reruns of every user, so that none waits for another's queue. `done`: there are no queues. `later`: no queue can move now. */
const round = async (deps: RerunsDeps, failing: Set<string>, signal: AbortSignal): Promise<QueueState> => {
  const states: QueueState[] = [];
  for (let skip = 0; ; skip += USERS_TOGETHER) {
    const subjects = await deps.queues.list({ skip, limit: USERS_TOGETHER });
    const settled = await Promise.allSettled(subjects.map((subject) => advanceOrLog(deps, subject, failing, signal)));
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      states.push(one.value);
    }
    if (signal.aborted || subjects.length < USERS_TOGETHER) break;
  }
  if (states.length === 0) return 'done';
  // After the end of a queue the list is shorter: the last users of a page may have been skipped.
  return states.every((state) => state === 'later') ? 'later' : 'more';
};

/**
 * A user whose reruns fail, because of a damaged event stream for example, does not stop those of the others. The first failure of each streak is logged.
 * Rejects when a store is away.
 */
const advanceOrLog = async (deps: RerunsDeps, subject: string, failing: Set<string>, signal: AbortSignal): Promise<QueueState> => {
  try {
    const state = await advance(deps, subject, signal);
    failing.delete(subject);
    return state;
  } catch (error) {
    if (signal.aborted || isAway(error)) throw error;
    if (!failing.has(subject)) deps.logger.error({ subject, err: error }, 'starting the queued reruns of a user failed; retrying');
    failing.add(subject);
    return 'later';
  }
};

const isAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Problem && error.cause instanceof StoreUnavailable);

/** A request made while the document is removed is noted again. */
const advance = async (deps: RerunsDeps, subject: string, signal: AbortSignal): Promise<QueueState> => {
  const state = await startQueued(deps, subject, signal);
  if (state !== 'done') return state;
  await deps.queues.done(subject);
  const after = await startQueued(deps, subject, signal);
  if (after !== 'done') await deps.queues.note(subject);
  return after;
};
