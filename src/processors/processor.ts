import type { ProblemName } from '../domain/problem.ts';
import type { ProcessorDeclaration } from '../domain/template.ts';
import type { Json, JsonObject } from '../json.ts';

/** What a run reads: the frames of its source topic, in order. Message topics give parsed JSON payloads in `messages`. */
export interface ProcessorInput {
  readonly schema: string;
  /** The raw frames; for a live processor they come as they arrive. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Final frames of a message topic. */
  messages(): AsyncIterable<SinkMessageBody>;
  /** Path of a plain file with all bytes of the source, for engines that take a file; made on first use. Its folder is the run's own and goes with it. */
  file(): Promise<string>;
}

/** The stored part of a sink message; stream id, tags and the like are added when it is read. */
export interface SinkMessageBody {
  frameType: 'final' | 'partial';
  payloadSchema: string;
  payload: Json;
  headers: JsonObject;
}

export interface ProcessorOutput {
  /** For processors whose output schema is `bytes`. */
  bytes(data: Uint8Array): Promise<void>;
  message(message: SinkMessageBody): Promise<void>;
}

export interface RunContext {
  readonly properties: JsonObject;
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

/** A kind of processor, registered under its declaration. */
export interface Processor {
  readonly declaration: ProcessorDeclaration;
  readonly mode: 'live' | 'batch';
  /** `null` when this node can run it with these properties; else why not and which setting to set (the upload is refused with 503). */
  unavailable(properties: JsonObject): Promise<string | null> | string | null;
  /** Rejects with `ProcessorError` for what the input or the engine has earned. */
  run(context: RunContext): Promise<RunReport>;
}

/** A failure that the processor earned: it becomes its `stateDescription`, so it says what was wrong, without paths or engine dumps. */
export class ProcessorError extends Error {
  constructor(
    readonly errorName: Extract<ProblemName, `PROCESSOR_${string}`>,
    message: string,
    /** Worth another attempt (an engine that was away), up to MAX_ATTEMPTS. */
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'ProcessorError';
  }
}
