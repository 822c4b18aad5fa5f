import type { Readable } from 'node:stream';
import { hasMoreValues } from '../../countValues.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import { QUANTITY_KINDS } from '../../domain/usage/pricing.ts';
import { isDeeperThan, isJsonObject, type Json, type JsonObject, jsonObjectIn, MAX_DEPTH } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { LineTooLong, linesOf } from '../../lines.ts';
import { pump } from '../../stores/pump.ts';
import type { ProcessorError, RunReport } from '../processor.ts';
import { isBase64 } from './base64.ts';
import { failed, type HttpRun } from './httpRun.ts';

const MAX_LINE_BYTES = 1_048_576;
/** Limit of the lines in one answer: one line for each of a million outputs. */
const MAX_LINES = 1_000_000;
/** The answer may be this much larger than its outputs, which travel as base64 or JSON beside other lines. */
const OVERHEAD_BYTES = 16 * 1_048_576;
/** A trillion tokens or seconds: far more than a run can use, and small enough that sums stay finite and exact enough. */
const MOST_USAGE = 1e12;
const REPORTED = ['processedAudioLength', 'processedTokens', 'processedInputTokens', 'processedOutputTokens'] as const;

const isRaw = (schema: unknown): schema is 'bytes' | 'string' => schema === MESSAGE_SCHEMAS.bytes || schema === MESSAGE_SCHEMAS.string;

type AnswerLimits = Pick<Limits, 'processorLineMaxValues'>;

/** Reads the whole body of a 200. Rejects with `ProcessorError` if the processor breaks the protocol. */
export const readAnswer = (run: HttpRun, contentType: string, body: Readable, limits: AnswerLimits): Promise<RunReport> => {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-ndjson') return new Answer(run, limits).lines(body);
  const { outputSchema } = run.declaration;
  if (isRaw(outputSchema) && type === (outputSchema === 'bytes' ? 'application/octet-stream' : 'text/plain'))
    return new Answer(run, limits).raw(body);
  throw failed(run, `answered with the content type ${JSON.stringify(type.slice(0, 100))}. Use application/x-ndjson.`);
};

class Answer {
  readonly #run: HttpRun;
  readonly #limits: AnswerLimits;
  readonly #report: RunReport = {};
  #outputBytes = 0;

  constructor(run: HttpRun, limits: AnswerLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  async raw(body: Readable): Promise<RunReport> {
    const { signal, declaration } = this.#run;
    const text = declaration.outputSchema === 'string' ? new TextDecoder('utf-8', { fatal: true }) : null;
    const write = (frame: readonly Uint8Array[]): Promise<void> => {
      for (const piece of frame) text?.decode(piece, { stream: true });
      return this.#run.bytes(frame);
    };
    try {
      const limitBytes = declaration.limits.maxOutputBytes;
      await pump(body, { limitBytes, tooLarge: () => this.#tooMuch(), signal, open: async () => {}, write });
      text?.decode();
    } catch (error) {
      if (error instanceof TypeError && text) throw failed(this.#run, 'answered with text that is not UTF-8.');
      throw error;
    }
    return {};
  }

  async lines(body: AsyncIterable<Uint8Array>): Promise<RunReport> {
    let count = 0;
    try {
      for await (const line of linesOf(this.#bounded(body), MAX_LINE_BYTES)) {
        if (++count > MAX_LINES) throw failed(this.#run, `sent more than ${MAX_LINES} lines.`);
        if (await this.#line(line)) return this.#report;
      }
    } catch (error) {
      if (error instanceof LineTooLong) throw failed(this.#run, 'sent a line of more than 1 MiB.');
      throw error;
    }
    throw failed(this.#run, 'ended its answer without {"end": true}.');
  }

  async *#bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const limit = this.#run.declaration.limits.maxOutputBytes * 2 + OVERHEAD_BYTES;
    let received = 0;
    for await (const chunk of body) {
      received += chunk.length;
      if (received > limit) throw failed(this.#run, `sent more than ${limit} bytes.`);
      yield chunk;
    }
  }

  /** Whether it was the last line. */
  async #line(text: string): Promise<boolean> {
    this.#run.signal.throwIfAborted();
    const line = this.#parsed(text);
    if (line.end === true) return true;
    if (Object.hasOwn(line, 'output')) await this.#output(line.output ?? null, line.frameType);
    else if (isJsonObject(line.error)) throw this.#reportedError(line.error);
    else if (isJsonObject(line.usage)) this.#usage(line.usage);
    else if (Object.hasOwn(line, 'progress')) this.#checkProgress(line.progress);
    else throw failed(this.#run, 'sent a line with none of output, progress, usage, error, end.');
    return false;
  }

  /** Progress shows only that the processor works; it is not stored. */
  #checkProgress(progress: Json | undefined): void {
    if (typeof progress === 'number' && progress >= 0 && progress <= 1) return;
    throw failed(this.#run, `sent a progress of ${JSON.stringify(progress).slice(0, 100)}. Use a number from 0 to 1.`);
  }

  #parsed(text: string): JsonObject {
    const { processorLineMaxValues: most } = this.#limits;
    if (text.length > most && hasMoreValues(Buffer.from(text), most)) throw failed(this.#run, `sent a line with more than ${most} values.`);
    const value = jsonObjectIn(text);
    if (value && isDeeperThan(value, MAX_DEPTH)) throw failed(this.#run, `sent a line that is nested deeper than ${MAX_DEPTH} levels.`);
    if (value) return value;
    throw failed(this.#run, 'sent a line that is not a JSON object.');
  }

  #reportedError({ name, message, retryable }: JsonObject) {
    const told = [name, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
    return failed(this.#run, `reported an error: ${told || 'no message'}`, { final: retryable !== true });
  }

  #usage(usage: JsonObject): void {
    for (const [quantity, amount] of Object.entries(usage)) {
      const known = Object.hasOwn(QUANTITY_KINDS, quantity);
      if (!known || typeof amount !== 'number' || !(amount >= 0 && amount <= MOST_USAGE))
        throw failed(
          this.#run,
          `reported a usage of ${JSON.stringify(quantity.slice(0, 100))} that is not a known quantity from 0 to ${MOST_USAGE}.`,
        );
      const reported = REPORTED.find((name) => name === quantity);
      if (reported) this.#report[reported] = amount;
    }
  }

  async #output(payload: Json, frameType: Json | undefined): Promise<void> {
    const { declaration } = this.#run;
    if (frameType !== undefined && frameType !== 'final' && !(frameType === 'partial' && declaration.mode === 'live'))
      throw failed(this.#run, 'sent a frameType other than "final". Partial frames need mode live.');
    const frame = frameType === 'partial' ? 'partial' : 'final';
    if (isRaw(declaration.outputSchema)) {
      const bytes = this.#rawPayload(payload, declaration.outputSchema);
      if (frame === 'partial') return this.#run.emit(payload, frame);
      this.#count(bytes.length);
      return this.#run.bytes(bytes);
    }
    const misfit = await this.#run.misfit(payload);
    if (misfit !== null) throw failed(this.#run, `sent an output that does not fit its schema: ${misfit}`);
    this.#count(Buffer.byteLength(JSON.stringify(payload)));
    await this.#run.emit(payload, frame);
  }

  #rawPayload(payload: Json, schema: 'bytes' | 'string'): Uint8Array {
    if (typeof payload === 'string') {
      if (schema === 'string') return Buffer.from(payload, 'utf8');
      if (isBase64(payload)) return Buffer.from(payload, 'base64');
    }
    throw failed(this.#run, schema === 'bytes' ? 'sent an output that is not base64.' : 'sent an output that is not a string.');
  }

  #count(bytes: number): void {
    this.#outputBytes += bytes;
    if (this.#outputBytes > this.#run.declaration.limits.maxOutputBytes) throw this.#tooMuch();
    this.#run.signal.throwIfAborted();
  }

  #tooMuch(): ProcessorError {
    const { maxOutputBytes } = this.#run.declaration.limits;
    return failed(this.#run, `sent more output than ${maxOutputBytes} bytes.`, { final: true });
  }
}
