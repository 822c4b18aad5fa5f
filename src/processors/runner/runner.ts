import { mkdir, rm } from 'node:fs/promises';
import { loadStream, loadStreamWith } from '../../commands/loadStream.ts';
import { ATTEMPT_ENDS } from '../../commands/slots/freedAtEnd.ts';
import { knownCorrelation } from '../../commands/streamCorrelation.ts';
import { STREAM_EVENT_TYPES, type StreamEvent } from '../../domain/stream/events.ts';
import type { Consumer, ConsumerProgress } from '../../stores/consumers/consumer.ts';
import { consumerCheckpoint, runConsumer } from '../../stores/consumers/runConsumer.ts';
import type { Documents } from '../../stores/documents.ts';
import { DamagedEventStream, type Position } from '../../stores/eventStore.ts';
import { batches } from '../../stores/log/batches.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { type Progressed, retrying } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import { ActiveRuns, type ActiveRunsDeps } from './activeRuns.ts';
import type { AdmissionLoad } from './admission.ts';
import { OpenRuns } from './openRuns.ts';

export interface RunnerDeps extends ActiveRunsDeps {
  readonly documents: Documents;
  readonly progress?: Map<string, ConsumerProgress>;
}

const CONSUMER = 'processors';
const PREFIX = 'stream-';
/** Events that cause no work for the runner. */
const IGNORED = ['ProcessorStarted', 'EngineAwaited', 'EngineReturned', 'EngineChosen', 'StreamExpired'] satisfies StreamEvent['type'][];
const TYPES = STREAM_EVENT_TYPES.filter((type) => !IGNORED.some((ignored) => ignored === type));
/** Open streams checked at once at a start. */
const START_TOGETHER = 16;
const RETRY_MS = 1_000;

/**
 * Follows the chains of all open streams and runs every stage that can run. One a node.
 *
 * Level-triggered: each wake-up (an event of the log, the end of a run, a start) loads the stream, starts the stages that can run and are not
 * running here, and aborts runs no longer wanted. So lost or repeated wake-ups do no harm.
 *
 * With other nodes beside it, each follows the log for itself and tries every run: the run's lease says which of them does it. One of them, which
 * holds the consumer's lease, keeps the list of open streams.
 */
export class Runner {
  readonly #deps: RunnerDeps;
  readonly #runs: ActiveRuns;
  readonly #open: OpenRuns;
  #signal: AbortSignal | null = null;
  /** The log's head when this process began; `null` until it has. */
  #began: Position | '' | null = null;
  /** Open streams that an earlier process may have worked on. */
  readonly #taken = new Set<string>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#runs = new ActiveRuns(deps, (streamId) => this.#sawBegin(streamId));
    this.#open = new OpenRuns(deps);
  }

  /** Runs under way or waiting for their turn, on this node. */
  active(): number {
    return this.#runs.count;
  }

  /** Runs that have their turn, and that wait for it. */
  load(): AdmissionLoad {
    return this.#runs.load;
  }

  /**
   * Runs until the signal aborts, then resolves when all runs have let go: those are without outcome and come again, here or elsewhere. The
   * work directory is emptied first, so it must be this node's own.
   */
  async start(signal: AbortSignal): Promise<void> {
    await rm(this.#deps.workDirectory, { recursive: true, force: true });
    await mkdir(this.#deps.workDirectory, { recursive: true, mode: 0o700 });
    await this.#begun(signal, () => this.#open.ensure());
    this.#signal = signal;
    const stopped = new Promise<void>((resolve, reject) => {
      const stop = () => this.#runs.stop().then(resolve, reject);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    const left = await this.#begun(signal, async () => {
      // The position first: later events are read again.
      const after = (await this.#deps.documents.readCheckpoint(consumerCheckpoint(CONSUMER)))?.position ?? null;
      const open = await this.#open.all();
      for (const streamId of open) this.#taken.add(streamId);
      this.#began = (await this.#deps.log.head()) ?? '';
      return { after, open };
    });
    const working = left ? [this.#resume(left.open, signal), ...this.#following(left.after, signal)] : [];
    await Promise.all([...working, stopped]);
  }

  /** Waits for a store that is away at the start. `null` when the signal aborts first. */
  #begun<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'starting the processors failed; retrying');
    return retrying(work, { clock, signal, onFailure }).catch(() => null);
  }

  #following(after: Position | null, signal: AbortSignal): Promise<void>[] {
    const settle = () => this.#open.store();
    const begin = () => this.#deps.alone || this.#open.forget();
    const follow = (handle: Consumer['handle']) => runConsumer(this.#deps, { name: CONSUMER, types: TYPES, begin, handle, settle }, signal);
    if (this.#deps.alone) return [follow((events) => this.#handle(events))];
    return [follow((events) => this.#keepOpen(seenIn(events))), this.#watch(after, signal)];
  }

  /** Wakes this node, whichever holds the consumer's lease. */
  async #watch(start: Position | null, signal: AbortSignal): Promise<void> {
    const { clock, logger, log } = this.#deps;
    let after = start;
    const watch = async (progressed: Progressed): Promise<void> => {
      for await (const { events, position } of batches(log, after, TYPES, signal)) {
        const { touched, ended } = seenIn(events);
        for (const [streamId, attempt] of ended) this.#runs.abort(streamId, attempt);
        await Promise.all([...touched].map(([streamId, revision]) => this.#poke(streamId, revision)));
        progressed();
        after = position;
      }
    };
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'processors cannot read the log; retrying');
    await supervise(watch, { clock, signal, onFailure });
  }

  /** Looks at a stream. `revision`: of an event that the state must include. Never rejects. */
  async #poke(streamId: string, revision?: bigint): Promise<void> {
    const signal = this.#signal;
    if (!signal || signal.aborted) return;
    await this.#look(streamId, revision).catch((error) => {
      const correlationId = knownCorrelation(this.#deps.log, streamId);
      if (error instanceof DamagedEventStream) {
        this.#deps.logger.error({ streamId, correlationId, reason: error.message }, 'stream passed over');
        return;
      }
      this.#deps.logger.warn({ streamId, correlationId, error }, 'loading a stream failed; retrying');
      void this.#deps.clock.pause(RETRY_MS, signal).then(() => this.#poke(streamId));
    });
  }

  /** Streams that were open when the last process ended. */
  async #resume(streamIds: readonly string[], signal: AbortSignal): Promise<void> {
    for (let n = 0; n < streamIds.length && !signal.aborted; n += START_TOGETHER) {
      await Promise.all(streamIds.slice(n, n + START_TOGETHER).map((streamId) => this.#poke(streamId)));
    }
  }

  async #handle(events: readonly RecordedEvent[]): Promise<void> {
    const seen = seenIn(events);
    for (const { position, eventStream } of events)
      if (this.#began === null || position <= this.#began) this.#taken.add(eventStream.slice(PREFIX.length));
    for (const [streamId, attempt] of seen.ended) this.#runs.abort(streamId, attempt);
    for (const streamId of seen.closed) this.#taken.delete(streamId);
    this.#open.opened(seen.opened);
    await Promise.all([...seen.touched].map(([streamId, revision]) => this.#look(streamId, revision)));
    await this.#open.ended(seen.closed);
  }

  /** What is open becomes documents before the checkpoint is saved: the next holder of the lease continues from there. */
  async #keepOpen({ opened, closed }: Seen): Promise<void> {
    this.#open.opened(opened);
    await this.#open.ended(closed);
  }

  #sawBegin(streamId: string): boolean {
    return this.#deps.alone === true && this.#began !== null && !this.#taken.has(streamId);
  }

  /** `revision`: of an event that the state must include; without it the state is read. Rejects when the log cannot be read. */
  async #look(streamId: string, revision?: bigint): Promise<void> {
    const { log } = this.#deps;
    const state = await (revision === undefined
      ? loadStream(log, streamId)
      : loadStreamWith(log, { eventStream: PREFIX + streamId, revision }));
    if (state) this.#runs.settle(state);
  }
}

interface Seen {
  /** Streams that may have something to do, with the revision of their last event. */
  readonly touched: ReadonlyMap<string, bigint>;
  readonly opened: ReadonlySet<string>;
  /** Streams that have ended and do not run again. */
  readonly closed: ReadonlySet<string>;
  /** The newest attempt of a stream that ended. */
  readonly ended: ReadonlyMap<string, number>;
}

/** In the order of the log: a stream may be opened again by a rerun. */
const seenIn = (events: readonly RecordedEvent[]): Seen => {
  const opened = new Set<string>();
  const closed = new Set<string>();
  const ended = new Map<string, number>();
  const touched = new Map<string, bigint>();
  for (const { type, eventStream, revision, data } of events) {
    const streamId = eventStream.slice(PREFIX.length);
    touched.set(streamId, revision);
    if (type === 'StreamCreated' || type === 'RerunStarted') {
      opened.add(streamId);
      closed.delete(streamId);
    }
    if (!ATTEMPT_ENDS.some((end) => end === type)) continue;
    touched.delete(streamId);
    opened.delete(streamId);
    closed.add(streamId);
    ended.set(streamId, 'attempt' in data && typeof data.attempt === 'number' ? data.attempt : 1);
  }
  return { touched, opened, closed, ended };
};
