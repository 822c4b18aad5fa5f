import type { ProblemName } from '../domain/problem.ts';
import type { Bill, ChainLink, Quantities } from '../domain/stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../domain/templates/template.ts';
import type { Json, JsonObject } from '../json.ts';

/** What a run reads: the frames of its source topic, in order. Message topics give parsed JSON payloads in `messages`. */
export interface ProcessorInput {
  readonly schema: string;
  /** The raw frames; for a live processor they come as they arrive. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Final frames of a message topic. */
  messages(): AsyncIterable<SinkMessageBody>;
  /** Bytes of a source that is complete; `null` when that is not known. */
  size?(): Promise<number | null>;
  /** Path of a plain file with all bytes of the source, for engines that take a file; made on first use. Its folder is the run's own and goes with it. */
  file(): Promise<string>;
  /** Path of a folder of the run's own, which goes with it; made on first use. */
  folder(): Promise<string>;
}

/** The stored part of a sink message; stream id, tags and the like are added when it is read. */
export interface SinkMessageBody {
  frameType: 'final' | 'partial';
  payloadSchema: string;
  payload: Json;
  headers: JsonObject;
  /** Counts final messages; a partial one has the number that the next final one will have. Set when it is written. */
  sequenceId?: number;
}

export interface ProcessorOutput {
  /** For processors whose output schema is `bytes`. */
  bytes(data: Uint8Array): Promise<void>;
  message(message: SinkMessageBody): Promise<void>;
}

/** What the attempts of one run share, on one node: an engine's answer that came is not asked for, and paid for, again. */
export interface RunMemory {
  /** The same for every attempt, on every node. */
  readonly key: string;
  /** Answers of engines by the digest of what was asked. */
  readonly answers: Map<string, Json>;
  /** Of this attempt, for engines: W3C Trace Context. */
  readonly traceparent?: string;
}

export interface RunContext {
  readonly memory?: RunMemory;
  readonly properties: JsonObject;
  /** The user whose stream this is: per-user limits count against them. */
  readonly owner: string;
  /** What is run, for processors that tell it to others. `attempt` counts from 1. */
  readonly run?: { readonly streamId: string; readonly link: ChainLink; readonly attempt: number };
  readonly input: ProcessorInput;
  readonly output: ProcessorOutput;
  /** Aborts on cancel, on shutdown, and when the run's lease is lost. A run must end within a second of it, child processes included. */
  readonly signal: AbortSignal;
}

/** What a run reports of itself; sizes and times are measured by the runner. */
export interface RunReport {
  /** Shown as the processor's `stateDescription`, such as "Stream has no prompt enabled". */
  description?: string;
  processedAudioLength?: number;
  processedTokens?: number;
  processedInputTokens?: number;
  processedOutputTokens?: number;
}

/** A processor that stands before another one in a chain. */
export interface Upstream {
  readonly declarationId: string;
  readonly properties: JsonObject;
}

/** A kind of processor, registered under its declaration. */
export interface Processor {
  readonly declaration: ProcessorDeclaration;
  readonly mode: 'live' | 'batch';
  /** Of a live one: each run has a process, or a place at a server, to itself as long as it lasts. */
  readonly holdsEngine?: true;
  /**
   * `null` when this node can run it with these properties behind those processors (nearest first); else why not and which setting to set
   * (the upload is refused with 503). Throws `Problem` for what no setting would help.
   */
  unavailable(properties: JsonObject, upstream?: readonly Upstream[]): Promise<string | null> | string | null;
  /** The bill of a run that has a price of its own; `null`: the price list's. */
  bill?(owner: string, declarationId: string, quantities: Quantities): Promise<Bill | null>;
  /** Rejects with `ProcessorError` for what the input or the engine has earned. */
  run(context: RunContext): Promise<RunReport>;
}

/** The reason of a run's signal when its stream was cancelled or has ended. */
export class RunNotWanted extends Error {}

/** A failure that the processor earned: it becomes its `stateDescription`, so it says what was wrong, without paths or engine dumps. */
export class ProcessorError extends Error {
  constructor(
    readonly errorName: Extract<ProblemName, `PROCESSOR_${string}`>,
    message: string,
    /** Worth another attempt (an engine that was away), up to MAX_ATTEMPTS. */
    readonly retryable = false,
    /** Milliseconds that the engine asked to be left alone, bounded by who heard it. */
    readonly retryAfter = 0,
    /**
     * `attempts`: at most so many in place of MAX_ATTEMPTS. `waits`: a wait for `retryAfter` within ENGINE_RETRY_S does not count as an attempt.
     */
    readonly limits: { readonly attempts?: number; readonly waits?: boolean } = {},
  ) {
    super(message);
    this.name = 'ProcessorError';
  }
}

/** An engine server is down: no connection, 408, 429 or 5xx. Retried for ENGINE_RETRY_S, which MAX_ATTEMPTS does not count. */
export class EngineAway extends ProcessorError {
  constructor(
    errorName: ProcessorError['errorName'],
    message: string,
    /** Of the server, without user information and query. */
    readonly address: string,
    retryAfter = 0,
  ) {
    super(errorName, message, true, retryAfter);
    this.name = 'EngineAway';
  }
}
