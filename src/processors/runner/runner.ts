import { mkdir, rm } from 'node:fs/promises';
import { loadStream, loadStreamWith } from '../../commands/loadStream.ts';
import { type LeftRunningDeps, leftRunning } from '../../commands/openStreams/leftRunning.ts';
import { knownCorrelation } from '../../commands/streamCorrelation.ts';
import {
  ATTEMPT_ENDS,
  attemptOf,
  isStreamEvent,
  STREAM_EVENT_TYPES,
  type StreamEvent,
  streamEventStream,
  streamIdOf,
} from '../../domain/stream/events.ts';
import { DamagedEventStream, type Position } from '../../stores/eventStore.ts';
import { batches } from '../../stores/log/batches.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { type Progressed, retrying } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import { ActiveRuns, type ActiveRunsDeps } from './activeRuns.ts';
import type { AdmissionLoad } from './admission.ts';

export type RunnerDeps = ActiveRunsDeps & LeftRunningDeps;

/** Events that cause no work for the runner. */
const IGNORED = ['ProcessorStarted', 'EngineAwaited', 'EngineReturned', 'EngineChosen', 'StreamExpired'] satisfies StreamEvent['type'][];
const TYPES = STREAM_EVENT_TYPES.filter((type) => !IGNORED.some((ignored) => ignored === type));
/** Running streams checked at once at a start. */
const START_TOGETHER = 16;
const RETRY_MS = 1_000;

/**
 * Follows the chains of all open streams and runs every stage that can run. One a node.
 *
 * Level-triggered: each wake-up (an event of the log, the end of a run, a start) loads the stream, starts the stages that can run and are not
 * running here, and aborts runs no longer wanted. So lost or repeated wake-ups do no harm. At a start, the open streams are those in the collection, and
 * those in the log after its checkpoint (`leftRunning`).
 *
 * Each node follows the log for itself and tries every run: the run's lease says which of them does it.
 */
export class Runner {
  readonly #deps: RunnerDeps;
  readonly #runs: ActiveRuns;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#runs = new ActiveRuns(deps);
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
    const stopped = new Promise<void>((resolve, reject) => {
      const stop = () => this.#runs.stop().then(resolve, reject);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    const left = await this.#leftRunning(signal);
    await Promise.all([...(left ? [this.#resume(left.streamIds, signal), this.#follow(left.after, signal)] : []), stopped]);
  }

  /** Waits for a store that is away; `null` when the signal aborts first. */
  async #leftRunning(signal: AbortSignal): Promise<Awaited<ReturnType<typeof leftRunning>> | null> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'starting the processors failed; retrying');
    return retrying(() => leftRunning(this.#deps), { clock, signal, onFailure }).catch(() => null);
  }

  async #follow(start: Position | null, signal: AbortSignal): Promise<void> {
    const { clock, logger, log } = this.#deps;
    let after = start;
    const follow = async (progressed: Progressed): Promise<void> => {
      for await (const { events, position } of batches(log, after, TYPES, signal)) {
        const { touched, ended } = seenIn(events);
        for (const [streamId, attempt] of ended) this.#runs.abort(streamId, attempt);
        await Promise.all([...touched].map(([streamId, revision]) => this.#poke(streamId, signal, revision)));
        progressed();
        after = position;
      }
    };
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'processors cannot read the log; retrying');
    await supervise(follow, { clock, signal, onFailure });
  }

  async #resume(streamIds: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const all = [...streamIds];
    for (let n = 0; n < all.length && !signal.aborted; n += START_TOGETHER)
      await Promise.all(all.slice(n, n + START_TOGETHER).map((streamId) => this.#poke(streamId, signal)));
  }

  /** Looks at a stream. `revision`: of an event that the state must include; without it the state is read. Never rejects. */
  async #poke(streamId: string, signal: AbortSignal, revision?: bigint): Promise<void> {
    if (signal.aborted) return;
    const { clock, log, logger } = this.#deps;
    try {
      const eventStream = streamEventStream(streamId);
      const state = await (revision === undefined ? loadStream(log, streamId) : loadStreamWith(log, { eventStream, revision }));
      if (state) this.#runs.settle(state);
    } catch (error) {
      const correlationId = knownCorrelation(log, streamId);
      if (error instanceof DamagedEventStream) {
        logger.error({ streamId, correlationId, reason: error.message }, 'stream passed over');
        return;
      }
      logger.warn({ streamId, correlationId, error }, 'loading a stream failed; retrying');
      void clock.pause(RETRY_MS, signal).then(() => this.#poke(streamId, signal));
    }
  }
}

interface Seen {
  /** Streams that may have something to do, with the revision of their last event. */
  readonly touched: ReadonlyMap<string, bigint>;
  /** The newest attempt of a stream that ended. */
  readonly ended: ReadonlyMap<string, number>;
}

/** In the order of the log: a stream may be opened again by a rerun. */
const seenIn = (events: readonly RecordedEvent[]): Seen => {
  const touched = new Map<string, bigint>();
  const ended = new Map<string, number>();
  for (const event of events) {
    if (!isStreamEvent(event)) continue;
    const streamId = streamIdOf(event.eventStream);
    touched.set(streamId, event.revision);
    if (!ATTEMPT_ENDS.some((end) => end === event.type)) continue;
    touched.delete(streamId);
    ended.set(streamId, attemptOf(event));
  }
  return { touched, ended };
};
