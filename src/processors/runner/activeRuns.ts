import { loadStream } from '../../commands/loadStream.ts';
import { correlationOf, knownCorrelation } from '../../commands/streamCorrelation.ts';
import { isDeclared } from '../../domain/processorDeclarations/declaration.ts';
import { runsOf } from '../../domain/stream/attempts.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import { TopicMissing } from '../../stores/topics.ts';
import { retrying } from '../../supervision/retrying.ts';
import { headOf } from '../media/inspectMedia.ts';
import { isLongMedia } from '../media/mediaFacts.ts';
import { readWavHeader } from '../media/wavHeader.ts';
import { type DeclarationPlaces, RunNotWanted } from '../processor.ts';
import { type Admission, type AdmissionLoad, type Lane, LONG_BYTES } from './admission.ts';
import { isWanted, type Runnable, runKey, runnables } from './chain.ts';
import { Run } from './run.ts';
import { type RunDeps, type RunEnd, RunHistory, readsMedia } from './runHistory.ts';

export interface ActiveRunsDeps extends RunDeps {
  readonly leases: Leases;
  /** Shared by everything that runs processors on this node. */
  readonly admission: Admission;
}

interface Active {
  readonly runnable: Runnable;
  readonly abort: AbortController;
}

const NOT_WANTED = new RunNotWanted('the run is not wanted any more');
const STOPPING = new Error('the server is stopping');
const AGAIN: RunEnd = { kind: 'again' };
const ABORTED: RunEnd = { kind: 'aborted' };

/** The run has to begin again, in `after` milliseconds at the earliest. */
class BeginsAgain extends Error {
  constructor(readonly after: number) {
    super('the run begins again');
  }
}

/**
 * The runs that this node has under way or waiting for their turn, one a processor of a stream. A run goes through: its turn (`Admission`),
 * its lease, its attempt; whatever hinders it makes it begin again after a pause; it is over when its outcome is in the log, when it is
 * not wanted any more, or when the node stops.
 */
export class ActiveRuns {
  readonly #deps: ActiveRunsDeps;
  readonly #active = new Map<string, Active>();
  readonly #byStream = new Map<string, Set<Active>>();
  readonly #settling = new Set<Promise<void>>();
  #stopping = false;

  constructor(deps: ActiveRunsDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#active.size;
  }

  get load(): AdmissionLoad {
    return this.#deps.admission.load;
  }

  /** Matches the runs of a stream to its state: starts those that can run, aborts those no longer wanted. Repeatable. */
  settle(state: StreamAggregate): void {
    for (const { runnable, abort } of this.#ofStream(state.stream.streamId)) if (!isWanted(state, runnable)) abort.abort(NOT_WANTED);
    for (const runnable of runnables(state)) this.#start(runnable);
  }

  /** Aborts the runs of an attempt of a stream that has ended, and of those before it. */
  abort(streamId: string, attempt: number): void {
    for (const { runnable, abort } of this.#ofStream(streamId)) if (runnable.streamAttempt <= attempt) abort.abort(NOT_WANTED);
  }

  /** Aborts all without outcome, and waits until they have let go. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { abort } of this.#active.values()) abort.abort(STOPPING);
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  #start(runnable: Runnable): void {
    const key = runKey(runnable);
    if (this.#stopping || this.#active.has(key)) return;
    const active: Active = { runnable, abort: new AbortController() };
    this.#active.set(key, active);
    const { streamId } = runnable;
    this.#byStream.set(streamId, (this.#byStream.get(streamId) ?? new Set()).add(active));
    const settling = this.#run(active).finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  /** Never rejects. */
  async #run(active: Active): Promise<void> {
    const { runnable, abort } = active;
    const { signal } = abort;
    const history = new RunHistory(this.#deps);
    const leastPause = (error: unknown) => (error instanceof BeginsAgain ? error.after : 0);
    const options = { clock: this.#deps.clock, signal, leastPause };
    const end = await retrying(() => this.#once(runnable, history, signal), options).catch(() => ABORTED);
    this.#forget(active);
    if (end.kind === 'recorded' && end.recorded.state) this.settle(end.recorded.state);
    const overtaken = end.kind !== 'recorded' || end.recorded.outcome === 'stale';
    if (overtaken && signal.reason !== STOPPING) await this.#drop(runnable);
  }

  /** Rejects when the run has to begin again. */
  async #once(runnable: Runnable, history: RunHistory, signal: AbortSignal): Promise<Exclude<RunEnd, { kind: 'again' }>> {
    const end = await this.#inTurn(runnable, history, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#deps.logger.warn({ ...this.#about(runnable), error }, 'run interrupted; retrying');
      throw error;
    });
    if (end.kind === 'again') throw new BeginsAgain(end.after ?? 0);
    return end;
  }

  #ofStream(streamId: string): Iterable<Active> {
    return this.#byStream.get(streamId) ?? [];
  }

  #forget(active: Active): void {
    const { streamId } = active.runnable;
    this.#active.delete(runKey(active.runnable));
    const others = this.#byStream.get(streamId);
    others?.delete(active);
    if (others?.size === 0) this.#byStream.delete(streamId);
  }

  async #inTurn(runnable: Runnable, history: RunHistory, signal: AbortSignal): Promise<RunEnd> {
    let end = ABORTED;
    const lane = await this.#laneOf(runnable, history, signal);
    history.short = lane === 'short';
    if (lane === 'engine') await this.#firstByte(runnable, signal);
    const places = lane === 'remote' ? await this.#placesOf(runnable) : null;
    await this.#deps.admission.run({ lane, owner: runnable.owner, signal, places }, async () => {
      end = await this.#underLease(runnable, history, signal);
    });
    return end;
  }

  async #placesOf({ link, owner }: Runnable): Promise<DeclarationPlaces | null> {
    try {
      return (await this.#deps.processors.get(link.declarationId)?.places?.(owner, link.declarationId)) ?? null;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // The run meets the same error and records it.
      return null;
    }
  }

  /** By the decoded length of a recording if known, otherwise by bytes. */
  async #laneOf({ link, sourceTopic }: Runnable, history: RunHistory, signal: AbortSignal): Promise<Lane> {
    if (isDeclared(link.declarationId)) return 'remote';
    if (link.mode === 'live') return this.#deps.processors.get(link.declarationId)?.holdsEngine ? 'engine' : 'live';
    const bytes = (await this.#deps.topics.size(sourceTopic))?.bytes ?? 0;
    if (readsMedia(link)) {
      const { media } = history;
      // All of a WAV file counts: several recordings may be joined in it.
      const wav = readWavHeader(await this.#headOf(sourceTopic, signal), bytes);
      const long = isLongMedia(wav ?? (media && 'facts' in media ? media.facts : null));
      if (long !== null) return long ? 'long' : 'short';
    }
    return bytes > LONG_BYTES ? 'long' : 'short';
  }

  /** Empty for a source that is gone: that is for the run to find. */
  async #headOf(topic: string, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return await headOf(dataOf(this.#deps.topics.read(topic, { signal })));
    } catch (error) {
      if (error instanceof TopicMissing) return new Uint8Array();
      throw error;
    }
  }

  /** A stream without speech holds no engine. The run itself detects the stream's end or deletion. */
  async #firstByte({ sourceTopic }: Runnable, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#deps.topics.read(sourceTopic, { follow: true, signal })) return;
    } catch (error) {
      if (!(error instanceof TopicMissing)) throw error;
    }
  }

  async #underLease(runnable: Runnable, history: RunHistory, signal: AbortSignal): Promise<RunEnd> {
    const lease = await this.#deps.leases.tryAcquire(`run/${runnable.streamId}/${runnable.processorId}`, {
      brief: true,
      isNew: !history.wasTried,
    });
    history.wasTried = true;
    if (!lease) return AGAIN;
    let isOver = false;
    try {
      const end = await this.#runIfWanted(runnable, history, AbortSignal.any([signal, lease.signal]));
      isOver = end?.kind === 'recorded';
      if (!end) return ABORTED;
      return end.kind === 'aborted' && !signal.aborted ? AGAIN : end;
    } finally {
      if (isOver) lease.releaseLater();
      else await lease.release();
    }
  }

  /** `null` when it is not to be run any more. */
  async #runIfWanted(wanted: Runnable, history: RunHistory, signal: AbortSignal): Promise<RunEnd | null> {
    const { streamId } = wanted;
    // Another node may have run it while it waited.
    const state = await loadStream(this.#deps.log, streamId);
    const runnable = state && runnables(state).find((other) => runKey(other) === runKey(wanted));
    if (!runnable) return null;
    const correlationId = await correlationOf(this.#deps.log, streamId, wanted.streamAttempt);
    const started = (now: StreamAggregate): void => this.settle(now);
    return new Run({ ...this.#deps, started }, runnable, history, correlationId, signal).run();
  }

  #about({ streamId, processorId, streamAttempt }: Runnable) {
    return { streamId, processorId, correlationId: knownCorrelation(this.#deps.log, streamId, streamAttempt) };
  }

  /** The output of an aborted run is not a result: it is deleted, and its readers end. */
  async #drop(runnable: Runnable): Promise<void> {
    const { streamId, processorId, streamAttempt, outputTopic } = runnable;
    try {
      const state = await loadStream(this.#deps.log, streamId);
      const run = state && runsOf(state, processorId).find((other) => other.streamAttempt === streamAttempt);
      if (run?.state === 'CLOSED' || run?.state === 'ERROR') await this.#deps.topics.delete(outputTopic);
    } catch (error) {
      this.#deps.logger.warn(
        { ...this.#about(runnable), error },
        'the output of a cut off run could not be deleted; it goes with its stream',
      );
    }
  }
}

async function* dataOf(frames: AsyncIterable<{ readonly data: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const { data } of frames) yield data;
}
