import type { ProblemName } from '../domain/problem.ts';
import type { FailureCause } from '../domain/stream/failureCauses.ts';
import type { SinkMessageBody } from '../domain/stream/messageFrame.ts';
import type { Bill, ChainLink, Quantities } from '../domain/stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../domain/templates/template.ts';
import type { Json, JsonObject } from '../json.ts';
import type { FrameBytes } from '../stores/topics.ts';
import type { Inspected } from './media/inspectMedia.ts';

/** Input of a run: the frames of its source topic in order. `messages` gives message topics as parsed JSON payloads. */
export interface ProcessorInput {
  readonly schema: string;
  /** The raw frames. A live processor gets them as they arrive. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Final frames of a message topic. */
  messages(): AsyncIterable<SinkMessageBody>;
  /** Whether nothing more comes. Absent for a source that is complete from the start. */
  isComplete?(): Promise<boolean>;
  /** Size of a complete source in bytes; `null` if unknown. */
  size?(): Promise<number | null>;
  /** Path of a plain file with the whole source, for engines that read files. Created on first use and deleted with the run. */
  file(): Promise<string>;
  /** Path of a temporary folder. Created on first use and deleted with the run. */
  folder(): Promise<string>;
}

export interface ProcessorOutput {
  /** For processors whose output schema is `bytes`. Data in several pieces are one frame, of at most 1 MiB. */
  bytes(data: FrameBytes): Promise<void>;
  message(message: SinkMessageBody): Promise<void>;
}

/** State shared by the attempts of one run on one node: an engine's answer is neither requested nor paid for twice. */
export interface RunMemory {
  /** The same for every attempt, on every node. */
  readonly key: string;
  /** Answers of engines by digest of the request. */
  readonly answers: Map<string, Json>;
  /** W3C Trace Context of this attempt, passed to engines. */
  readonly traceparent?: string;
}

/** The engine of a run. `model`: `null` if the engine has only one. */
export interface RunEngine {
  /** Name and perhaps version: `faster-whisper 1.2.1`. */
  readonly engine: string;
  readonly model: string | null;
}

export interface RunIdentity {
  readonly streamId: string;
  readonly link: ChainLink;
  /** From 1. */
  readonly attempt: number;
  /** Whether another attempt follows this failure or this reason of an abort. */
  repeats(failure: unknown): boolean;
}

export interface RunContext {
  readonly memory?: RunMemory;
  /** To be called as soon as the engine is chosen, and again when more is known of it: people see it beside the run's outcome. */
  readonly using?: (engine: RunEngine) => void;
  readonly properties: JsonObject;
  /** Owner of the stream, for per-user limits. */
  readonly owner: string;
  /** The run that this is an attempt of, for processors that pass it on. */
  readonly run?: RunIdentity;
  readonly input: ProcessorInput;
  /** The inspected recording, for a batch run that reads one. */
  readonly media?: Inspected | null;
  readonly output: ProcessorOutput;
  /** Aborts on cancel, shutdown, and loss of the run's lease. The run, with its child processes, must end within one second. */
  readonly signal: AbortSignal;
}

/** Report of a run by the processor. The runner measures sizes and times. */
export interface RunReport {
  /** Shown as the processor's `stateDescription`, such as "Stream has no prompt enabled". */
  description?: string;
  processedAudioLength?: number;
  processedTokens?: number;
  processedInputTokens?: number;
  processedOutputTokens?: number;
}

/** An earlier processor of the same chain. */
export interface Upstream {
  readonly declarationId: string;
  readonly properties: JsonObject;
}

/** Runs at a user's own processor that one node may have at once. All versions of a declaration share them. */
export interface DeclarationPlaces {
  readonly declarationId: string;
  readonly concurrency: number;
}

/** A kind of processor, registered under its declaration. */
export interface Processor {
  readonly declaration: ProcessorDeclaration;
  readonly mode: 'live' | 'batch';
  /** For live processors: each run occupies a process, or a place at a server, for its whole duration. */
  readonly holdsEngine?: true;
  /** Cannot kill its node: no native code and no child processes. A run that takes a moment is then stored in one commit, start and end together. */
  readonly light?: true;
  /**
   * `null` if this node can run the processor with these properties behind those processors (nearest first). Otherwise the reason and the setting
   * that would help (the upload is refused with 503). Throws `Problem` if no setting would help.
   */
  unavailable(properties: JsonObject, upstream?: readonly Upstream[]): Promise<string | null> | string | null;
  /** The places of a user's own processor. Rejects like a run if the declaration no longer exists. */
  places?(owner: string, declarationId: string): Promise<DeclarationPlaces>;
  /** Price of a run with its own price; `null` uses the price list. */
  bill?(owner: string, declarationId: string, quantities: Quantities): Promise<Bill | null>;
  /** Rejects with `ProcessorError` if the input or the engine is at fault. */
  run(context: RunContext): Promise<RunReport>;
}

/** The abort reason of a run whose stream was canceled or has ended. */
export class RunNotWanted extends Error {}

/** A failure shown to the user as `stateDescription`: says what was wrong, without paths or engine output. */
export class ProcessorError extends Error {
  /** Chooses the advice to the owner; `null` where the error name says enough. */
  failureCause: FailureCause | null = null;

  constructor(
    readonly errorName: Extract<ProblemName, `PROCESSOR_${string}`>,
    message: string,
    /** Retry up to MAX_ATTEMPTS, because the engine was unavailable. */
    readonly retryable = false,
    /** Pause in milliseconds that the engine asked for, already bounded. */
    readonly retryAfter = 0,
    /**
     * `attempts`: limit that replaces MAX_ATTEMPTS. `waits`: waiting for `retryAfter` within ENGINE_RETRY_S does not count as an attempt.
     */
    readonly limits: { readonly attempts?: number; readonly waits?: boolean } = {},
  ) {
    super(message);
    this.name = 'ProcessorError';
  }

  because(cause: FailureCause): this {
    this.failureCause = cause;
    return this;
  }
}

/** An engine server or a user's own processor is unavailable. Retried for ENGINE_RETRY_S, without counting an attempt. */
export class EngineAway extends ProcessorError {
  constructor(
    errorName: ProcessorError['errorName'],
    message: string,
    /** URL of the server without user information and query; `null` for a user's own processor, whose URL is shown only to its owner. */
    readonly address: string | null,
    retryAfter = 0,
    /** The pause before the first repetition in milliseconds. It doubles up to 15 s. */
    readonly firstPause = 0,
  ) {
    super(errorName, message, true, retryAfter);
    this.name = 'EngineAway';
  }
}

export type { SinkMessageBody };
