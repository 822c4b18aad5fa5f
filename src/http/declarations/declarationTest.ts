import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { HttpDeclaration } from '../../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Json, JsonObject } from '../../json.ts';
import { isBase64 } from '../../processors/declared/base64.ts';
import { type DeclaredProcessor, placesOf } from '../../processors/declared/declaredProcessor.ts';
import type { RequestTold } from '../../processors/declared/httpRun.ts';
import { ProcessorError } from '../../processors/processor.ts';
import type { Admission } from '../../processors/runner/admission.ts';
import { type FrameBytes, piecesOf } from '../../stores/topics.ts';
import { invalid } from '../input/schemas.ts';

const MAX_TEST_BYTES = 65_536;
/** The answer contains the whole output, so a test may send less than a run. */
const MAX_OUTPUT_BYTES = 1_048_576;

export interface DeclarationTest {
  readonly declaration: HttpDeclaration;
  readonly secrets: readonly string[];
  readonly properties: JsonObject;
  readonly input: Json;
  readonly owner: string;
  readonly signal: AbortSignal;
}

export interface TestResult {
  output?: Json;
  error?: { name: string; message: string };
  durationMs: number;
  requests: RequestTold[];
}

const badInput = (message: string) => invalid('input', message, 'body');

const isRaw = (schema: HttpDeclaration['inputSchema']): boolean => schema === MESSAGE_SCHEMAS.bytes || schema === MESSAGE_SCHEMAS.string;

/** Throws 400 for an input of another kind, or above 64 KiB. */
const checkInput = ({ inputSchema }: HttpDeclaration, input: Json): void => {
  if (isRaw(inputSchema) && typeof input !== 'string') throw badInput(`must be ${inputSchema === 'bytes' ? 'base64' : 'text'}`);
  if (!isRaw(inputSchema) && !Array.isArray(input)) throw badInput('must be a list of payloads');
  const bytes = typeof input === 'string' ? rawBytes(inputSchema, input).length : Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_TEST_BYTES) throw badInput(`has ${bytes} bytes; at most ${MAX_TEST_BYTES} are allowed`);
};

const rawBytes = (schema: HttpDeclaration['inputSchema'], input: string): Buffer => {
  if (schema === MESSAGE_SCHEMAS.bytes && !isBase64(input)) throw badInput('is not base64');
  return Buffer.from(input, schema === MESSAGE_SCHEMAS.bytes ? 'base64' : 'utf8');
};

/** The input as a run would send it. Rejects with `ProcessorError` for an invalid payload. */
async function* bodyOf(processor: DeclaredProcessor, { declaration, input, owner, signal }: DeclarationTest): AsyncGenerator<Uint8Array> {
  if (typeof input === 'string') yield rawBytes(declaration.inputSchema, input);
  else for (const payload of input as Json[]) yield await processor.line(declaration, payload, owner, signal);
}

const bounded = (declaration: HttpDeclaration): HttpDeclaration => {
  const { limits } = declaration;
  return { ...declaration, limits: { ...limits, maxOutputBytes: Math.min(limits.maxOutputBytes, MAX_OUTPUT_BYTES) } };
};

/** Output of a test. Raw bytes are copied into one buffer, because many small ones would take far more memory than their bytes. */
class Collected {
  readonly #payloads: Json[] = [];
  readonly #bytes = Buffer.allocUnsafe(MAX_OUTPUT_BYTES);
  #size = 0;

  payload(payload: Json): void {
    this.#payloads.push(payload);
  }

  bytes(frame: FrameBytes): void {
    for (const piece of piecesOf(frame)) {
      this.#bytes.set(piece, this.#size);
      this.#size += piece.length;
    }
  }

  as(schema: HttpDeclaration['outputSchema']): Json {
    if (!isRaw(schema)) return this.#payloads;
    return this.#bytes.subarray(0, this.#size).toString(schema === 'bytes' ? 'base64' : 'utf8');
  }
}

export interface DeclarationTestDeps {
  readonly declared: DeclaredProcessor;
  readonly admission: Admission;
  readonly clock: Clock;
}

/** One attempt without a stream: the output of a run, or its error. Takes its turn among the runs; rejects if the signal aborts. */
export const testDeclaration = async ({ declared, admission, clock }: DeclarationTestDeps, test: DeclarationTest): Promise<TestResult> => {
  const { secrets, properties, owner, signal } = test;
  const declaration = bounded(test.declaration);
  checkInput(declaration, test.input);
  const output = new Collected();
  const requests: RequestTold[] = [];
  let began = clock.monotonic();
  const run = {
    declaration,
    secrets,
    properties,
    signal,
    runId: randomUUID(),
    streamId: randomUUID(),
    attempt: 1,
    body: () => bodyOf(declared, test),
    inputIsComplete: async () => true,
    bytes: async (frame: FrameBytes) => output.bytes(frame),
    emit: async (payload: Json) => output.payload(payload),
    repeats: () => false,
    told: (request: RequestTold) => void requests.push(request),
  };
  const durationMs = () => Math.round(clock.monotonic() - began);
  try {
    await admission.run({ lane: 'remote', owner, signal, places: placesOf(declaration) }, async () => {
      began = clock.monotonic();
      await declared.runOnce(run, owner);
    });
    signal.throwIfAborted();
    return { output: output.as(declaration.outputSchema), durationMs: durationMs(), requests };
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    return { error: { name: error.errorName, message: error.message }, durationMs: durationMs(), requests };
  }
};
