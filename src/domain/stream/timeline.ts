import { atAttempt, runsOf, type StreamAttempt, type StreamProcessorRun, type StreamRun } from './attempts.ts';
import type { StreamEvent } from './events.ts';
import type { FailureCause } from './failureCauses.ts';
import { evolveStream, type StreamAggregate } from './state.ts';
import type { Bill, ChainLink, ProcessorState, Quantities, StreamProcessor } from './streamConfiguration.ts';

/** An event of a stream with the metadata that its timeline shows. `time` is ISO 8601. */
export interface TimelineEvent {
  readonly event: StreamEvent;
  readonly time: string;
  readonly correlationId: string;
}

/** `WAITING`: for its input. `QUEUED`: for its turn. `CLOSED`: canceled, or after a failed stage. */
export type StageState = 'WAITING' | 'QUEUED' | 'RUNNING' | 'WAITING_FOR_ENGINE' | 'COMPLETED' | 'FAILED' | 'CLOSED';

/** A stage in one attempt of its stream. Times are ISO 8601. */
export interface StageRun {
  readonly link: ChainLink;
  readonly processor: StreamProcessor;
  readonly state: StageState;
  /** When its input was available; `null` before. */
  readonly queuedTimestamp: string | null;
  readonly endedTimestamp: string | null;
  /** Start of each try, oldest first. */
  readonly tries: readonly string[];
  /** Waits for its engine, oldest first. `until` is `null` while it waits. */
  readonly waits: readonly EngineWait[];
  /** `null` until it is known, and for a stage without an engine. A run of a few seconds shows it at its end. */
  readonly engine: { name: string; model: string | null } | null;
  /** The description of its outcome; `reason` of a failure is `null` once the owner has been erased. */
  readonly description: string | null;
  readonly failure: { errorName: string; reason: string | null; cause: FailureCause | null } | null;
  readonly quantities: Quantities | null;
  readonly bill: Bill | null;
}

export interface EngineWait {
  readonly since: string;
  readonly until: string | null;
  readonly reason: string | null;
}

/** One attempt of a stream with its stages, in the order of the chain. */
export interface AttemptRun extends Omit<StreamAttempt, 'runs'> {
  /** The correlation id of its request. */
  readonly correlationId: string;
  readonly stages: readonly StageRun[];
}

interface Noted {
  tries: string[];
  waits: EngineWait[];
  engine: StageRun['engine'];
}

type StageEvent = Extract<StreamEvent, { data: { processorId: string } }>;

const isOfStage = (event: StreamEvent): event is StageEvent => 'processorId' in event.data;

/** Folds all events of a stream, in order, into its attempts, oldest first. Feed it page by page. */
export class Timeline {
  #aggregate: StreamAggregate | null = null;
  readonly #correlations: string[] = [];
  readonly #noted = new Map<string, Noted>();
  /** The runs of each stage, found once for all attempts: a stream may have thousands. */
  readonly #runs = new Map<string, readonly StreamRun[]>();

  add({ event, time, correlationId }: TimelineEvent): void {
    this.#aggregate = evolveStream(this.#aggregate, event, time);
    this.#runs.clear();
    if (event.type === 'StreamCreated' || event.type === 'RerunStarted') this.#correlations.push(correlationId);
    if (isOfStage(event)) this.#note(event, time);
  }

  /** `null` before the first event. */
  get stream(): StreamAggregate | null {
    return this.#aggregate;
  }

  get length(): number {
    return this.#aggregate?.attempts.length ?? 0;
  }

  attempts(): AttemptRun[] {
    return Array.from({ length: this.length }, (_, n) => this.attempt(n)).filter((one) => one !== null);
  }

  /** An attempt, counted from 0; `null` for an unknown one. */
  attempt(n: number): AttemptRun | null {
    const aggregate = this.#aggregate;
    const attempt = aggregate?.attempts[n];
    if (!aggregate || !attempt) return null;
    const stages = aggregate.chain.flatMap((link) => this.#stage(aggregate, link, attempt));
    const { runs: _, ...rest } = attempt;
    return { ...rest, correlationId: this.#correlations[n] ?? '', stages };
  }

  #runsOf(aggregate: StreamAggregate, processorId: string): readonly StreamRun[] {
    const known = this.#runs.get(processorId) ?? runsOf(aggregate, processorId);
    this.#runs.set(processorId, known);
    return known;
  }

  #note(event: StageEvent, time: string): void {
    const { processorId, streamAttempt = 1 } = event.data;
    const noted = this.#notedOf(processorId, streamAttempt);
    if ('engine' in event.data) noted.engine = event.data.engine ?? null;
    if (event.type === 'EngineChosen') return;
    // A restart after a worker's death, the engine's return and the outcome all end a wait.
    if (event.type !== 'EngineAwaited') noted.waits = noted.waits.map((wait) => (wait.until === null ? { ...wait, until: time } : wait));
    else if (noted.waits.at(-1)?.until !== null) noted.waits.push({ since: time, until: null, reason: event.data.reason });
    if (event.type === 'ProcessorStarted') noted.tries.push(time);
  }

  #notedOf(processorId: string, streamAttempt: number): Noted {
    const key = `${processorId}/${streamAttempt}`;
    const noted = this.#noted.get(key) ?? { tries: [], waits: [], engine: null };
    this.#noted.set(key, noted);
    return noted;
  }

  #stage(aggregate: StreamAggregate, link: ChainLink, attempt: StreamAttempt): StageRun[] {
    const run = this.#runsOf(aggregate, link.processorId).find(({ streamAttempt }) => streamAttempt === attempt.attempt);
    if (!run) return [];
    const { tries, waits, engine } = this.#notedOf(link.processorId, attempt.attempt);
    const previous = link.previousProcessorId === null ? null : this.#runsOf(aggregate, link.previousProcessorId);
    const queuedTimestamp = queuedAt(aggregate, link, attempt, previous);
    return [
      {
        link,
        processor: run.processor,
        queuedTimestamp,
        tries,
        engine,
        state: stateOf(run.state, queuedTimestamp, waits),
        endedTimestamp: run.endedTimestamp,
        // A cancellation ends a wait without an event of the stage.
        waits: waits.map((wait) => ({ ...wait, until: wait.until ?? run.endedTimestamp })),
        ...outcomeOf(run, waits.at(-1)),
      },
    ];
  }
}

const outcomeOf = (
  run: StreamProcessorRun,
  lastWait: EngineWait | undefined,
): Pick<StageRun, 'description' | 'failure' | 'quantities' | 'bill'> => ({
  description: run.state === 'COMPLETED' ? run.stateDescription : null,
  failure: run.errorName === null ? null : { errorName: run.errorName, reason: run.stateDescription, cause: causeOf(run, lastWait) },
  quantities: run.quantities,
  bill: run.bill,
});

/** Older events name no cause, but a run that waited until it failed had no engine. */
const causeOf = ({ cause, endedTimestamp }: StreamProcessorRun, lastWait: EngineWait | undefined): FailureCause | null =>
  cause ?? (lastWait && lastWait.until === endedTimestamp ? 'ENGINE_AWAY' : null);

const stateOf = (state: ProcessorState, queuedTimestamp: string | null, waits: readonly EngineWait[]): StageState => {
  if (state === 'ERROR') return 'FAILED';
  if (state === 'WAITING') return queuedTimestamp === null ? 'WAITING' : 'QUEUED';
  if (state === 'RUNNING') return waits.at(-1)?.until === null ? 'WAITING_FOR_ENGINE' : 'RUNNING';
  return state;
};

/** A live stage has its input from the start of the previous stage, a batch one from its end. `previous`: the runs of that stage, newest first. */
const queuedAt = (
  aggregate: StreamAggregate,
  { mode }: ChainLink,
  attempt: StreamAttempt,
  previous: readonly StreamRun[] | null,
): string | null => {
  const input = previous
    ? outputSince(
        mode,
        previous.find(({ streamAttempt }) => streamAttempt <= attempt.attempt),
      )
    : uploadedSince(aggregate, mode);
  if (input === null) return null;
  return input > attempt.startedTimestamp ? input : attempt.startedTimestamp;
};

const uploadedSince = ({ upload, stream }: StreamAggregate, mode: ChainLink['mode']): string | null => {
  if (mode === 'live') return stream.createdTimestamp;
  return upload.state === 'completed' ? upload.endedTimestamp : null;
};

const outputSince = (mode: ChainLink['mode'], previous: StreamProcessorRun | undefined): string | null => {
  if (mode === 'live') return previous?.startedTimestamp ?? null;
  return previous?.state === 'COMPLETED' ? previous.endedTimestamp : null;
};

/** The stages of a stream in an attempt, with the data that each reads and writes; `null` for an unknown attempt or stage. */
export const stageIn = (
  aggregate: StreamAggregate,
  attempt: number,
  processorId: string,
): { link: ChainLink; processor: StreamProcessor } | null => {
  const then = atAttempt(aggregate, attempt);
  const link = aggregate.chain.find((one) => one.processorId === processorId);
  const processor = then?.stream.configuration.processors.find(({ id }) => id === processorId);
  return link && processor ? { link, processor } : null;
};
