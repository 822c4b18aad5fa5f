import type { Clock } from '../../clock.ts';
import type { RunRecorded } from '../../commands/recordRun.ts';
import { isDeclared } from '../../domain/processorDeclarations/declaration.ts';
import type { ChainLink } from '../../domain/stream/streamConfiguration.ts';
import type { PriceList } from '../../domain/usage/pricing.ts';
import type { Logger } from '../../logger.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { Topics } from '../../stores/topics.ts';
import type { Tracing } from '../../tracing.ts';
import type { Inspected } from '../media/inspectMedia.ts';
import type { MediaLimits } from '../media/mediaFacts.ts';
import { EngineAway, ProcessorError, type RunMemory, RunNotWanted } from '../processor.ts';
import type { Processors } from '../registry.ts';
import type { Runnable } from './chain.ts';
import { EngineEvents } from './engineEvents.ts';

export interface RunDeps {
  readonly log: EventLog;
  readonly topics: Topics;
  readonly disk: DiskSpace;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly processors: Processors;
  readonly priceList: PriceList;
  /** Of failures that the processor earned and that are worth another attempt. */
  readonly maxAttempts: number;
  /** How long a run waits for an engine server that is down. */
  readonly engineRetryMilliseconds: number;
  /** Name of this node, recorded as the actor. */
  readonly node: string;
  readonly mediaLimits: MediaLimits;
  /** Command that reads a recording's length. Default: ffprobe. */
  readonly ffprobe?: string;
  /** Folder for the files of running engines. */
  readonly workDirectory: string;
}

type HistoryDeps = Pick<RunDeps, 'log' | 'clock' | 'maxAttempts' | 'engineRetryMilliseconds'>;

/** Attempts of a run that meets unexpected errors, such as a missing topic or a full disk. */
const MAX_MISHAPS = 5;

/** State of a run that this node keeps between its attempts. Its counts say whether another attempt follows a failure. */
export class RunHistory {
  /** Failures that the processor earned in this attempt of the stream, on any node: the log records them with the start of the next try. */
  failures = 0;
  /** When an engine server was first found down, by the monotonic clock; `null` while it is up. */
  #awaySince: number | null = null;
  /** Tries since then. */
  awayTries = 0;
  readonly notes: EngineEvents;
  /** Unexpected errors so far. */
  mishaps = 0;
  /** Whether this node has asked for its lease before. */
  wasTried = false;
  /** The attempt in the log is this node's own. */
  attempt: number | null = null;
  /** The inspected recording of the run; `null` before the inspection. */
  media: Inspected | null = null;
  /** It runs in the lane for short runs. */
  short = false;
  /** Answers of engines to earlier attempts. */
  readonly answers: RunMemory['answers'] = new Map();
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    this.notes = new EngineEvents(deps);
  }

  get hasMishapsLeft(): boolean {
    return this.mishaps < MAX_MISHAPS;
  }

  hasAttemptsLeft({ retryable, limits }: ProcessorError): boolean {
    return retryable && this.failures + 1 < (limits.attempts ?? this.#deps.maxAttempts);
  }

  /** Milliseconds for which the run still waits for an engine that is down. */
  awayLeft(): number {
    const now = this.#deps.clock.monotonic();
    this.#awaySince ??= now;
    return this.#awaySince + this.#deps.engineRetryMilliseconds - now;
  }

  /** Whether a processor that asked for a pause is waited for without counting an attempt. */
  waitsFor({ limits: { waits = false }, retryAfter }: ProcessorError): boolean {
    return waits && retryAfter <= this.awayLeft();
  }

  engineAnswered(): void {
    this.#awaySince = null;
    this.awayTries = 0;
  }

  /** Whether another attempt of the run follows this failure. A node that stops or loses the lease leaves the run to the next one. */
  repeats(failure: unknown, signal: AbortSignal): boolean {
    if (signal.aborted) return !(signal.reason instanceof RunNotWanted);
    if (!(failure instanceof ProcessorError)) return failure instanceof StoreUnavailable || this.mishaps + 1 < MAX_MISHAPS;
    if (failure instanceof EngineAway) return this.awayLeft() > 0;
    return this.waitsFor(failure) || this.hasAttemptsLeft(failure);
  }
}

/** Whether a batch run reads the recording itself, and not another processor's output. */
export const readsMedia = ({ declarationId, operationType, mode, previousProcessorId }: ChainLink): boolean =>
  !isDeclared(declarationId) && operationType === 'BATCH_TRANSCRIPTION' && mode === 'batch' && previousProcessorId === null;

/** `recorded` holds the stream's new state, or that it has moved on; `again` asks for another try after a pause, of at least `after` ms. */
export type RunEnd =
  | { readonly kind: 'recorded'; readonly recorded: RunRecorded }
  | { readonly kind: 'again'; readonly after?: number }
  | { readonly kind: 'aborted' };

/** Whether its start may be recorded with its end: the first try of light work on a source that is complete. */
export const isBrief = async (
  { topics, processors }: Pick<RunDeps, 'topics' | 'processors'>,
  { link, sourceTopic, lastAttempt, attemptsBefore }: Runnable,
  history: RunHistory,
): Promise<boolean> => {
  if (lastAttempt > attemptsBefore || history.attempt !== null) return false;
  return processors.get(link.declarationId)?.light === true && (await topics.manifest(sourceTopic)) !== null;
};
