import type { RerunQueues } from '../commands/reruns/rerunQueues.ts';
import { type StartQueuedDeps, startQueued } from '../commands/reruns/startQueued.ts';
import { isRerunsEvent, type RerunsEvent } from '../domain/reruns/events.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';

export interface RerunsDeps extends ConsumerDeps, StartQueuedDeps {
  readonly queues: RerunQueues;
}

const TYPES = ['BulkRerunRequested'] satisfies RerunsEvent['type'][];
const IDLE_MILLISECONDS = 1_000;
/** While there are queues. */
const BUSY_MILLISECONDS = 100;
/** Users whose queues move at once. */
const USERS_TOGETHER = 64;

/**
 * Starts the reruns that users have asked for in bulk, as their limits allow. The users with waiting reruns come from the log: lost documents come back by
 * reading it again. On one node at a time. Runs until the signal aborts.
 */
export const runRerunsPolicy = async (deps: RerunsDeps, signal: AbortSignal): Promise<void> => {
  const { leases, clock, logger, queues } = deps;
  const noting: Consumer = {
    name: 'reruns',
    types: TYPES,
    handle: async (events) => {
      const subjects = new Set(events.filter(isRerunsEvent).map(({ eventStream }) => eventStream.slice('reruns-'.length)));
      await Promise.all([...subjects].map((subject) => queues.note(subject)));
    },
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'starting queued reruns failed; retrying');
  const starting = underLease((holding) => startAll(deps, holding), { leases, name: 'policy/reruns', clock, signal, onFailure });
  await Promise.all([runConsumer(deps, noting, signal), starting]);
};

const startAll = async (deps: RerunsDeps, { signal, progressed }: Holding): Promise<void> => {
  while (!signal.aborted) {
    const busy = await round(deps, signal);
    progressed();
    await deps.clock.pause(busy ? BUSY_MILLISECONDS : IDLE_MILLISECONDS, signal);
  }
};

/** Some reruns of every user, so that none waits for another's queue. Whether there are queues. */
const round = async (deps: RerunsDeps, signal: AbortSignal): Promise<boolean> => {
  for (let skip = 0; ; skip += USERS_TOGETHER) {
    const subjects = await deps.queues.list({ skip, limit: USERS_TOGETHER });
    await Promise.all(subjects.map((subject) => advance(deps, subject, signal)));
    if (signal.aborted || subjects.length < USERS_TOGETHER) return skip > 0 || subjects.length > 0;
  }
};

/** A request that comes while the document is removed is noted again. */
const advance = async (deps: RerunsDeps, subject: string, signal: AbortSignal): Promise<void> => {
  if ((await startQueued(deps, subject, signal)) !== 'done') return;
  await deps.queues.done(subject);
  if ((await startQueued(deps, subject, signal)) !== 'done') await deps.queues.note(subject);
};
