import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { HttpDeclaration } from '../../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { DeclaredProcessor } from '../../processors/declared/declaredProcessor.ts';
import type { RequestTold } from '../../processors/declared/httpRun.ts';
import { ProcessorError } from '../../processors/processor.ts';
import { validationProblem } from '../input/schemas.ts';

const MAX_TEST_BYTES = 65_536;

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

const badInput = (message: string) => validationProblem([{ field: 'input', message }], 'body');

/** The input as a run would send it. Throws 400. */
const encoded = ({ inputSchema }: HttpDeclaration, input: Json): Buffer => {
  const bytes = encodedBytes(inputSchema, input);
  if (bytes.length > MAX_TEST_BYTES) throw badInput(`has ${bytes.length} bytes; at most ${MAX_TEST_BYTES} are allowed`);
  return bytes;
};

const encodedBytes = (inputSchema: HttpDeclaration['inputSchema'], input: Json): Buffer => {
  if (inputSchema === MESSAGE_SCHEMAS.bytes || inputSchema === MESSAGE_SCHEMAS.string) {
    if (typeof input !== 'string') throw badInput(`must be ${inputSchema === 'bytes' ? 'base64' : 'text'}`);
    return Buffer.from(input, inputSchema === 'bytes' ? 'base64' : 'utf8');
  }
  if (!Array.isArray(input)) throw badInput('must be a list of payloads');
  return Buffer.from(input.map((payload) => `${JSON.stringify(payload)}\n`).join(''));
};

const collected = ({ outputSchema }: HttpDeclaration, outputs: readonly (Uint8Array | Json)[]): Json => {
  if (outputSchema !== MESSAGE_SCHEMAS.bytes && outputSchema !== MESSAGE_SCHEMAS.string) return outputs as Json[];
  const bytes = Buffer.concat(outputs.filter((output) => output instanceof Uint8Array));
  return bytes.toString(outputSchema === 'bytes' ? 'base64' : 'utf8');
};

/** One attempt outside any stream: what a run would give, or the error that it would have. */
export const testDeclaration = async (processor: DeclaredProcessor, clock: Clock, test: DeclarationTest): Promise<TestResult> => {
  const { declaration, secrets, properties, owner, signal } = test;
  const body = encoded(declaration, test.input);
  const outputs: (Uint8Array | Json)[] = [];
  const requests: RequestTold[] = [];
  const began = clock.monotonic();
  const run = {
    ...{ declaration, secrets, properties, signal, runId: randomUUID(), streamId: randomUUID(), attempt: 1 },
    async *body() {
      yield body;
    },
    emit: async (output: Uint8Array | Json) => void outputs.push(output),
    told: (request: RequestTold) => void requests.push(request),
  };
  const durationMs = () => Math.round(clock.monotonic() - began);
  try {
    await processor.runOnce(run, owner);
    return { output: collected(declaration, outputs), durationMs: durationMs(), requests };
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    return { error: { name: error.errorName, message: error.message }, durationMs: durationMs(), requests };
  }
};
