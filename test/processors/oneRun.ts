import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src/json.ts';
import type { Processor, RunContext, RunMemory, RunReport, SinkMessageBody } from '../../src/processors/processor.ts';
import { wholeOf } from '../../src/stores/topics.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';

export interface OneRun {
  properties?: JsonObject;
  schema?: string;
  /** Frames of raw bytes. */
  bytes?: readonly Uint8Array[] | AsyncIterable<Uint8Array>;
  /** Payloads of final messages. */
  messages?: readonly Json[];
  signal?: AbortSignal;
  media?: NonNullable<RunContext['media']>;
  memory?: RunMemory;
  using?: NonNullable<RunContext['using']>;
  /** Called with each message as it is written. */
  onMessage?: (message: SinkMessageBody) => void;
}

/** Runs one processor over given input, without a log: returns its output and its report. */
export const oneRun = async (
  processor: Processor,
  run: OneRun,
): Promise<{ report: RunReport; messages: SinkMessageBody[]; bytes: Buffer }> => {
  const written: SinkMessageBody[] = [];
  const chunks: Uint8Array[] = [];
  const { bytes = [], messages = [], schema = 'bytes' } = run;
  const directory = temporaryDirectory();
  const folder = () => {
    mkdirSync(directory, { recursive: true });
    return mkdtempSync(join(directory, 'run-'));
  };
  const report = await processor.run({
    properties: run.properties ?? {},
    owner: 'owner',
    signal: run.signal ?? new AbortController().signal,
    ...(run.memory ? { memory: run.memory } : {}),
    ...(run.using ? { using: run.using } : {}),
    ...(run.media ? { media: run.media } : {}),
    input: {
      schema,
      async *bytes() {
        yield* bytes;
      },
      async *messages() {
        for (const payload of messages) yield { frameType: 'final', payloadSchema: schema, payload, headers: {} };
      },
      async file() {
        const path = join(folder(), 'source');
        writeFileSync(path, '');
        for await (const chunk of bytes) appendFileSync(path, chunk);
        return path;
      },
      folder: async () => folder(),
    },
    output: {
      async bytes(data) {
        chunks.push(wholeOf(data));
      },
      async message(message) {
        written.push(message);
        run.onMessage?.(message);
      },
    },
  });
  return { report, messages: written, bytes: Buffer.concat(chunks) };
};
