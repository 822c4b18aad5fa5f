import type { HttpDeclaration } from '../../domain/processorDeclarations/declaration.ts';
import type { Json, JsonObject } from '../../json.ts';
import { canonicalJson } from '../../stores/canonicalJson.ts';
import type { FrameBytes } from '../../stores/topics.ts';
import { ProcessorError } from '../processor.ts';

/** One attempt of a run of a user's processor, independent of its input and output. */
export interface HttpRun {
  readonly declaration: HttpDeclaration;
  /** Signing secrets, newest first. */
  readonly secrets: readonly string[];
  /** The same for every attempt. */
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  readonly streamId: string;
  readonly properties: JsonObject;
  readonly traceparent?: string;
  /** The body of the request. */
  body(): AsyncIterable<Uint8Array>;
  /** Whether the whole input is there, sent or not. */
  inputIsComplete(): Promise<boolean>;
  /** Accepts checked output of a raw schema: one frame of at most 1 MiB if it is in pieces. */
  bytes(output: FrameBytes): Promise<void>;
  /** Accepts one checked payload. */
  emit(output: Json, frameType: 'final' | 'partial'): Promise<void>;
  /** Returns the fault of a payload; `null` if it matches its schema. */
  misfit(payload: Json): Promise<string | null>;
  /** Whether another attempt follows this failure or this reason of an abort. */
  repeats(failure: unknown): boolean;
  readonly signal: AbortSignal;
  /** Called after every request. */
  readonly told?: (request: RequestTold) => void;
}

export interface RequestTold {
  readonly method: string;
  /** `null`: no response. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** A failure that the processor reported. Retried with the same run id unless `final`. */
export const failed = (
  { declaration }: Pick<HttpRun, 'declaration'>,
  what: string,
  options: { final?: boolean; retryAfter?: number; waits?: boolean } = {},
): ProcessorError =>
  new ProcessorError('PROCESSOR_GENERAL_ERROR', `${declaration.name} ${what}`.slice(0, 600), !options.final, options.retryAfter ?? 0, {
    attempts: declaration.limits.attempts,
    waits: options.waits ?? false,
  });

/** The part of a run that its requests name and sign. */
export interface RunHead {
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  readonly streamId: string;
  readonly processor: string;
  readonly properties: JsonObject;
}

export interface SignedHead {
  /** The head in canonical JSON, which is signed. */
  readonly text: string;
  /** The headers of every request of a run, except its signature. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Long properties take tens of milliseconds, so they are written once. */
export const signedHead = ({ runId, attempt, streamId, processor, properties }: RunHead): SignedHead => {
  const propertiesText = canonicalJson(properties);
  // Members in the order of canonical JSON.
  const before = canonicalJson({ attempt, processor }).slice(0, -1);
  const behind = canonicalJson({ runId, streamId }).slice(1);
  return {
    text: `${before},"properties":${propertiesText},${behind}`,
    headers: {
      'accept-encoding': 'identity',
      'tributary-run-id': runId,
      'tributary-attempt': String(attempt),
      'tributary-stream-id': streamId,
      'tributary-processor': processor,
      'tributary-properties': Buffer.from(propertiesText).toString('base64url'),
    },
  };
};
