import type { RerunQueues } from '../commands/reruns/rerunQueues.ts';
import { type StartQueuedDeps, startQueued } from '../commands/reruns/startQueued.ts';
import { isRerunsEvent, type RerunsEvent } from '../domain/reruns/events.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import { Notifier } from '../supervision/notifier.ts';
import { type Holding, underLease } from '../supervision/underLease.ts';

export interface RerunsDeps extends ConsumerDeps, StartQueuedDeps {
  readonly queues: RerunQueues;
}

const TYPES = ['BulkRerunRequested'] satisfies RerunsEvent['type'][];
/** While there are no queues. Requests that this node notes are seen at once; another node may note them too. */
const IDLE_MILLISECONDS = 5_000;
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
  const news = new News(new Notifier(clock));
  const noting: Consumer = {
    name: 'reruns',
    types: TYPES,
    handle: async (events) => {
      const subjects = new Set(events.filter(isRerunsEvent).map(({ eventStream }) => eventStream.slice('reruns-'.length)));
      await Promise.all([...subjects].map((subject) => queues.note(subject)));
      news.tell();
    },
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'starting queued reruns failed; retrying');
  const starting = underLease((holding) => startAll(deps, news, holding), { leases, name: 'policy/reruns', clock, signal, onFailure });
  await Promise.all([runConsumer(deps, noting, signal), starting]);
};

/** What was noted on this node since the last look. */
class News {
  readonly #notifier: Notifier;
  #fresh = false;

  constructor(notifier: Notifier) {
    this.#notifier = notifier;
  }

  tell(): void {
    this.#fresh = true;
    this.#notifier.notify();
  }

  /** Call it before a look. */
  take(): void {
    this.#fresh = false;
  }

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!this.#fresh) await this.#notifier.wait({ milliseconds, signal });
  }
}

const startAll = async (deps: RerunsDeps, news: News, { signal, progressed }: Holding): Promise<void> => {
  while (!signal.aborted) {
    news.take();
    const busy = await round(deps, signal);
    progressed();
    if (busy) await deps.clock.pause(BUSY_MILLISECONDS, signal);
    else await news.wait(IDLE_MILLISECONDS, signal);
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
