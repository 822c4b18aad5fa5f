import { createHash } from 'node:crypto';
import type { AppendContext } from '../../commands/handle.ts';
import { completeRun, failRun, recordShortRun, startRun } from '../../commands/recordRun.ts';
import { NOTHING_USED } from '../../domain/stream/decisions.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Bill, Quantities } from '../../domain/stream/streamConfiguration.ts';
import { billFor, zeroBill } from '../../domain/usage/pricing.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import { type FrameBytes, type Manifest, TopicDamaged, TopicMissing, type WholeTopic } from '../../stores/topics.ts';
import { OVER } from '../../supervision/aborted.ts';
import { type Inspected, inspectMedia } from '../media/inspectMedia.ts';
import { checkMedia, isLongMedia, type MediaFacts, runTimeFor } from '../media/mediaFacts.ts';
import { withinRunTime } from '../media/withinRunTime.ts';
import { hasPartialsTopic, partialsTopic } from '../partials.ts';
import { EngineAway, ProcessorError, type RunEngine, type RunReport } from '../processor.ts';
import { type Runnable, runKey } from './chain.ts';
import { correctionsFor } from './corrections.ts';
import { attributesOf, type Measured, type Outcome, outcomeOf, quantitiesOf } from './outcome.ts';
import { isBrief, type RunDeps, type RunEnd, type RunHistory, readsMedia } from './runHistory.ts';
import { RunInput } from './runInput.ts';
import { RunOutput } from './runOutput.ts';

/** Deaths of a worker are not the processor's failures, but a run that kills its worker must not do so for ever. */
const MAX_DEATHS = 20;
const LONGEST_AWAY_PAUSE_MILLISECONDS = 15_000;

/** How long a run may last without its start in the log. */
const SHORT_MILLISECONDS = 1_000;

/** Another attempt, a cancellation or the stream's end came before the start of this one was recorded. */
class Overtaken extends Error {
  constructor(readonly end: RunEnd) {
    super('the run has been overtaken');
  }
}

const factsIn = (media: Inspected | null): MediaFacts | null => (media && 'facts' in media ? media.facts : null);

const madeBy = (engine: RunEngine | null) => engine && { engine: { name: engine.engine, model: engine.model } };

/** `started`: told the stream's state once the start is recorded, since live stages behind it can begin. */
type OneRunDeps = RunDeps & { readonly started: (state: StreamAggregate) => void };

/** One attempt of one processor of one stream, under the run's lease. */
export class Run {
  readonly #deps: OneRunDeps;
  readonly #runnable: Runnable;
  readonly #history: RunHistory;
  readonly #signal: AbortSignal;
  readonly #context: AppendContext;
  #engine: RunEngine | null = null;

  constructor(deps: OneRunDeps, runnable: Runnable, history: RunHistory, correlationId: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#runnable = runnable;
    this.#history = history;
    this.#signal = signal;
    const { owner, streamId, processorId } = runnable;
    this.#context = { subject: owner, actor: `processor/${processorId}@${deps.node}`, correlationId, causationId: streamId };
  }

  /** Rejects with `StoreUnavailable`, or with the signal's reason; the run may be tried again then. */
  async run(): Promise<RunEnd> {
    const { lastAttempt, attemptsBefore, failures, outputTopic } = this.#runnable;
    const { topics, log, maxAttempts } = this.#deps;
    this.#history.failures = Math.max(this.#history.failures, failures);
    // An earlier worker may have stored the output of a light run, and died before its events.
    const unrecorded = lastAttempt === attemptsBefore && !log.keepsTopics;
    if (lastAttempt > attemptsBefore || unrecorded) {
      const sealed = await topics.manifest(outputTopic).catch(() => null);
      const outcome = sealed ? outcomeOf(sealed.attributes, unrecorded ? lastAttempt + 1 : lastAttempt) : null;
      if (sealed && outcome && (await this.#isWhole(sealed))) return unrecorded ? this.#recordAtOnce(outcome) : this.#complete(outcome);
      this.#signal.throwIfAborted();
      if (sealed) await topics.delete(outputTopic);
    }
    if (lastAttempt - attemptsBefore - failures >= MAX_DEATHS + maxAttempts) {
      return this.#fail(lastAttempt, new ProcessorError('PROCESSOR_GENERAL_ERROR', 'The worker died repeatedly during this run.'), null);
    }
    const attempt = this.#history.attempt ?? lastAttempt + 1;
    // A node that has lost the lease meanwhile must not empty the next holder's output.
    this.#signal.throwIfAborted();
    if (await isBrief(this.#deps, this.#runnable, this.#history)) return this.#execute(attempt, true);
    return (await this.#recordStart(attempt)) ?? this.#execute(attempt, false);
  }

  /** Makes the output and records the start. Answers with the end of a run that has been overtaken. */
  async #recordStart(attempt: number): Promise<RunEnd | null> {
    const { outputTopic } = this.#runnable;
    await this.#deps.topics.create(outputTopic);
    if (this.#partials !== null) await this.#deps.topics.create(this.#partials);
    const { failures } = this.#history;
    const start = { ...this.#name(attempt), ...(failures > 0 && { failures }) };
    const started = await startRun(this.#deps, { ...start, signal: this.#signal }, this.#context);
    if (started.outcome === 'stale') return { kind: 'recorded', recorded: started };
    this.#history.attempt = attempt;
    this.#deps.started(started.state);
    return null;
  }

  get #partials(): string | null {
    return hasPartialsTopic(this.#runnable.link) ? partialsTopic(this.#runnable.outputTopic) : null;
  }

  #name(attempt: number) {
    const { streamId, processorId, streamAttempt } = this.#runnable;
    return { streamId, processorId, attempt, ...(streamAttempt > 1 && { streamAttempt }) };
  }

  /** A power cut may have left the manifest of an output without all of its frames. */
  async #isWhole({ sha256 }: Manifest): Promise<boolean> {
    const hash = createHash('sha256');
    try {
      for await (const { data } of this.#deps.topics.read(this.#runnable.outputTopic, { signal: this.#signal })) hash.update(data);
    } catch (error) {
      if (error instanceof TopicDamaged) return false;
      throw error;
    }
    return hash.digest('hex') === sha256;
  }

  async #execute(attempt: number, short: boolean): Promise<RunEnd> {
    const { topics, disk, clock, workDirectory } = this.#deps;
    const { sourceTopic, outputTopic, link, persistent } = this.#runnable;
    const corrections = await correctionsFor(this.#deps.log, this.#runnable);
    const source = { topic: sourceTopic, schema: link.inputSchema, live: link.mode === 'live', corrections };
    const input = new RunInput(topics, source, workDirectory, this.#signal);
    const begin = async (): Promise<void> => {
      const overtaken = await this.#recordStart(attempt);
      if (overtaken) throw new Overtaken(overtaken);
    };
    const output = new RunOutput(
      { topics, disk, topic: outputTopic, partials: this.#partials, signal: this.#signal },
      short ? begin : null,
    );
    const over = new AbortController();
    if (short) this.#releaseLater(output, over.signal);
    const began = clock.monotonic();
    const measured = (): Measured => ({
      executionTime: clock.monotonic() - began,
      ingressSize: input.bytesRead,
      egressSize: output.bytesWritten,
      storageSize: persistent ? output.bytesWritten : 0,
    });
    try {
      if (readsMedia(link)) {
        await this.#inspect(input);
        const media = factsIn(this.#history.media);
        // It looked short by its bytes: it waits for its turn among the long ones.
        if (this.#history.short && isLongMedia(media)) return { kind: 'again' };
        if (media) checkMedia(media, this.#deps.mediaLimits);
      }
      const report = await this.#process(input, output, attempt);
      this.#signal.throwIfAborted();
      const quantities = quantitiesOf(measured(), report);
      const { warnings } = output;
      const outcome = { attempt, description: report.description ?? null, quantities, engine: this.#engine, warnings };
      over.abort(OVER);
      const end = output.held && (await this.#completeAtOnce(outcome, output.held));
      if (end) return end;
      await output.release();
      await Promise.all([output.written(), topics.seal(outputTopic, attributesOf(outcome))]);
      return await this.#complete(outcome);
    } catch (error) {
      return await this.#unfinished(attempt, error, output, () => quantitiesOf({ ...measured(), storageSize: 0 }, {}));
    } finally {
      over.abort(OVER);
      await Promise.all([input.close(), output.close()]);
    }
  }

  /** A run that lasts has its start in the log while it runs. */
  #releaseLater(output: RunOutput, over: AbortSignal): void {
    void this.#deps.clock
      .pause(SHORT_MILLISECONDS, over)
      .then((pause) => (pause === 'elapsed' ? output.release() : undefined))
      // The run meets it when it writes or ends.
      .catch(() => undefined);
  }

  async #unfinished(attempt: number, error: unknown, output: RunOutput, quantities: () => Quantities): Promise<RunEnd> {
    if (this.#signal.aborted) return { kind: 'aborted' };
    if (error instanceof Overtaken) return error.end;
    try {
      // A failure needs its start in the log too.
      await output.release();
    } catch (failure) {
      if (failure instanceof Overtaken) return failure.end;
      // The start is recorded, but the output does not fit: the run has failed either way.
      if (!(failure instanceof ProcessorError)) throw failure;
    }
    return this.#failed(attempt, error, quantities());
  }

  /** Stores start, end and output of a run at once. `null` when that cannot be done. */
  async #completeAtOnce(outcome: Outcome, frames: readonly FrameBytes[]): Promise<RunEnd | null> {
    const output = this.#deps.topics.whole(this.#runnable.outputTopic, frames, attributesOf(outcome));
    if (!output) return null;
    try {
      return await this.#recordAtOnce(outcome, output);
    } finally {
      // The output of a run that was overtaken is deleted: it must not arrive after that.
      await output.stored?.().catch(() => undefined);
    }
  }

  /** Start and end of a run, with its output unless that is stored. */
  async #recordAtOnce(outcome: Outcome, output?: WholeTopic): Promise<RunEnd> {
    const data = { ...(await this.#dataOf(outcome)), signal: this.#signal };
    return { kind: 'recorded', recorded: await recordShortRun(this.#deps, data, this.#context, output) };
  }

  async #dataOf({ attempt, description, quantities, engine, warnings = [] }: Outcome) {
    const seen = warnings.length > 0 ? { warnings: [...warnings] } : {};
    return { ...this.#name(attempt), description, quantities, bill: await this.#billOf(quantities), ...madeBy(engine), ...seen };
  }

  /** A recording that can be read is inspected once for all attempts. */
  async #inspect(input: RunInput): Promise<void> {
    if (factsIn(this.#history.media) === null)
      this.#history.media = await inspectMedia(await input.file(), this.#deps.ffprobe ?? 'ffprobe', this.#signal);
  }

  async #process(input: RunInput, output: RunOutput, attempt: number): Promise<RunReport> {
    const { streamId, link, processor, owner, attemptsBefore } = this.#runnable;
    const nth = attempt - attemptsBefore;
    const kind = this.#deps.processors.get(link.declarationId);
    if (!kind) throw new ProcessorError('PROCESSOR_GENERAL_ERROR', 'This server does not have this processor.');
    const span = this.#deps.tracing.begin({
      name: `run ${link.operationType}`,
      kind: 'internal',
      correlationId: this.#context.correlationId,
      attributes: { 'tributary.stream_id': streamId, 'tributary.processor_id': link.processorId, 'tributary.attempt': attempt },
    });
    const memory = { key: runKey(this.#runnable), answers: this.#history.answers, traceparent: span.traceparent };
    const watch = this.#history.notes.watch(this.#name(attempt), this.#context);
    const using = (engine: RunEngine) => {
      this.#engine = engine;
      watch.chose(engine);
    };
    const identity = { streamId, link, attempt: nth, repeats: (failure: unknown) => this.#history.repeats(failure, this.#signal) };
    const { media } = this.#history;
    try {
      const run = (signal: AbortSignal) =>
        kind.run({ properties: processor.properties, owner, run: identity, using, input, media, output, signal, memory });
      const report = await (readsMedia(link) ? this.#bounded(run) : run(this.#signal));
      span.end();
      return report;
    } catch (error) {
      span.end({ failed: error instanceof ProcessorError ? error.errorName : 'failed' });
      throw error;
    } finally {
      watch.end();
    }
  }

  #bounded(run: (signal: AbortSignal) => Promise<RunReport>): Promise<RunReport> {
    const { clock, mediaLimits } = this.#deps;
    return withinRunTime({ clock, signal: this.#signal, limit: runTimeFor(factsIn(this.#history.media), mediaLimits) }, run);
  }

  async #failed(attempt: number, error: unknown, quantities: Quantities): Promise<RunEnd> {
    if (error instanceof StoreUnavailable) throw error;
    const { logger } = this.#deps;
    const { streamId, processorId } = this.#runnable;
    const about = { streamId, processorId, attempt, correlationId: this.#context.correlationId, error };
    if (error instanceof EngineAway) return this.#away(attempt, error, quantities);
    if (error instanceof ProcessorError && this.#history.waitsFor(error)) {
      await this.#history.notes.waits(this.#name(attempt), error.message, this.#context);
      return { kind: 'again', after: error.retryAfter };
    }
    this.#history.engineAnswered();
    if (error instanceof ProcessorError) {
      if (!this.#history.hasAttemptsLeft(error)) return this.#fail(attempt, error, quantities);
      this.#history.failures++;
      logger.warn(about, 'a run failed and is tried again');
      // The next try is another attempt, so that the log counts it.
      this.#history.attempt = attempt + 1;
      // A pause that was not waited for above must not hold the stream for longer.
      return { kind: 'again', after: Math.min(error.retryAfter, this.#deps.engineRetryMilliseconds) };
    }
    this.#history.mishaps++;
    // The source of an interrupted upload disappears a moment before the runner is notified.
    if (error instanceof TopicMissing) logger.debug(about, 'the source of a run is gone');
    else logger.error(about, 'unexpected error in a run');
    if (this.#history.hasMishapsLeft) return { kind: 'again' };
    return this.#fail(attempt, new ProcessorError('PROCESSOR_GENERAL_ERROR', 'The processor failed unexpectedly.'), quantities);
  }

  /** The attempt continues when the engine server is back. */
  async #away(attempt: number, error: EngineAway, quantities: Quantities): Promise<RunEnd> {
    const { logger, engineRetryMilliseconds } = this.#deps;
    const { address } = error;
    const left = this.#history.awayLeft();
    if (left > 0) {
      logger.warn({ ...this.#name(attempt), ...(address !== null && { address }), error }, 'engine server is down; retrying');
      await this.#history.notes.waits(this.#name(attempt), error.message, this.#context);
      const pause = Math.min(error.firstPause * 2 ** this.#history.awayTries++, LONGEST_AWAY_PAUSE_MILLISECONDS, left);
      return { kind: 'again', after: Math.max(error.retryAfter, pause) };
    }
    const seconds = Math.round(engineRetryMilliseconds / 1_000);
    const reason = `${error.message} It was tried for ${seconds} s${address === null ? '' : ` at ${address}`} (ENGINE_RETRY_S).`;
    return this.#fail(attempt, new ProcessorError(error.errorName, reason).because('ENGINE_AWAY'), quantities);
  }

  async #complete(outcome: Outcome): Promise<RunEnd> {
    const data = { ...(await this.#dataOf(outcome)), signal: this.#signal };
    return { kind: 'recorded', recorded: await completeRun(this.#deps, data, this.#context) };
  }

  async #billOf(quantities: Quantities): Promise<Bill> {
    const { link, owner } = this.#runnable;
    const own = await this.#deps.processors.get(link.declarationId)?.bill?.(owner, link.declarationId, quantities);
    return own ?? billFor(this.#deps.priceList, link.operationType, quantities);
  }

  /** The output of a failed run is not a result: it is deleted, and its readers end. */
  async #fail(attempt: number, error: ProcessorError, measured: Quantities | null): Promise<RunEnd> {
    const { outputTopic } = this.#runnable;
    const quantities = measured ?? NOTHING_USED;
    const { message, errorName, failureCause } = error;
    const reason = { reason: message, errorName, ...(failureCause && { cause: failureCause }) };
    const data = { ...this.#name(attempt), ...reason, quantities, bill: zeroBill(this.#deps.priceList), ...madeBy(this.#engine) };
    const recorded = await failRun(this.#deps, { ...data, signal: this.#signal }, this.#context);
    if (recorded.outcome === 'recorded') await this.#deps.topics.delete(outputTopic);
    return { kind: 'recorded', recorded };
  }
}
