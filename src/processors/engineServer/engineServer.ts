import { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { Clock } from '../../clock.ts';
import { EngineAway, ProcessorError } from '../processor.ts';
import { type EngineAnswer, readAnswer } from './answer.ts';
import { refusalOf, shownAddress } from './refusal.ts';

export interface EngineServerSettings {
  readonly clock: Clock;
  readonly address: URL;
  readonly apiKey: string | null;
  readonly userAgent: string;
  /** Name of the server, for the start of a sentence: "The speech server". */
  readonly title: string;
  /** The setting that holds the key, named when the server rejects it. */
  readonly keySetting: string;
  readonly errorName: ProcessorError['errorName'];
  /** Longest time without progress, from the last byte sent to the last byte received. */
  readonly timeoutMilliseconds: number;
  readonly maxAnswerBytes: number;
}

export interface EngineRequest {
  readonly contentType: string;
  readonly body: string | AsyncIterable<Uint8Array>;
  /** Length of the body in bytes; `null` if unknown. */
  readonly length: number | null;
  /** Idempotency key: the same for a repeated request. */
  readonly idempotencyKey: string | null;
  readonly traceparent: string | null;
  readonly signal: AbortSignal;
}

const CONNECTIONS = 32;
const CONNECT_MILLISECONDS = 10_000;

/**
 * An engine behind HTTP. One request is one attempt: the runner decides about retries. All failures are `ProcessorError`s that name neither the
 * address nor the key. Failures of an unavailable engine (no connection, 408, 409, 429, 5xx, silence) are retryable.
 */
export class EngineServer {
  readonly #settings: EngineServerSettings;
  readonly #pool: Pool;

  constructor(settings: EngineServerSettings) {
    this.#settings = settings;
    this.#pool = new Pool(settings.address.origin, {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_MILLISECONDS },
      allowH2: false,
      // The deadline below covers the whole request: dripping bytes would satisfy these time-outs forever.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Resolves with the body of a 2xx. Rejects with `ProcessorError`, the failure of the request's body, or the signal's reason. */
  async post(request: EngineRequest): Promise<EngineAnswer> {
    const patience = new Patience(this.#settings.clock, this.#settings.timeoutMilliseconds);
    const upload = new Upload(request.body, patience);
    try {
      return await this.#exchange(request, upload, AbortSignal.any([request.signal, patience.signal]));
    } catch (error) {
      request.signal.throwIfAborted();
      if (upload.failure !== null) throw upload.failure;
      throw error instanceof ProcessorError ? error : this.#away(error, patience);
    } finally {
      patience.end();
    }
  }

  async #exchange(request: EngineRequest, upload: Upload, signal: AbortSignal): Promise<EngineAnswer> {
    const { address, maxAnswerBytes } = this.#settings;
    const { statusCode, headers, body } = await this.#pool.request({
      path: address.pathname + address.search,
      method: 'POST',
      headers: this.#headers(request),
      body: upload.body,
      signal,
    });
    // An aborted body also emits an error event, which needs a listener.
    body.on('error', () => {});
    const answer = await readAnswer(body, headers, maxAnswerBytes);
    if (statusCode >= 200 && statusCode < 300 && !answer.tooLarge) return answer;
    throw refusalOf(statusCode, answer, headers, this.#settings);
  }

  #headers({ contentType, length, idempotencyKey, traceparent }: EngineRequest): Record<string, string> {
    const { apiKey, userAgent } = this.#settings;
    return {
      'user-agent': userAgent,
      'content-type': contentType,
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(length === null ? {} : { 'content-length': String(length) }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(traceparent === null ? {} : { traceparent }),
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    };
  }

  #away(error: unknown, patience: Patience): ProcessorError {
    const { title, errorName, timeoutMilliseconds, address } = this.#settings;
    if (patience.signal.aborted) {
      const message = `${title} did not answer within ${Math.ceil(timeoutMilliseconds / 1000)} s.`;
      return new ProcessorError(errorName, message, true).because('ENGINE_AWAY');
    }
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no connection';
    return new EngineAway(errorName, `${title} cannot be reached, or broke off (${code}).`, shownAddress(address));
  }
}

/** Tracks whether the request's body failed by itself, which is not the server's fault. */
class Upload {
  readonly body: string | Readable;
  failure: unknown = null;

  constructor(body: EngineRequest['body'], patience: Patience) {
    this.body = typeof body === 'string' ? body : Readable.from(this.#watched(body, patience), { objectMode: false });
  }

  async *#watched(body: AsyncIterable<Uint8Array>, patience: Patience): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        patience.renew();
        yield chunk;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/** A deadline that is extended by progress. */
class Patience {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  readonly #over = new AbortController();
  readonly #ended = new AbortController();
  #due: number;

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
    this.#due = clock.monotonic() + milliseconds;
    void this.#watch();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  renew(): void {
    this.#due = this.#clock.monotonic() + this.#milliseconds;
  }

  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    for (let left = this.#milliseconds; left > 0; left = this.#due - this.#clock.monotonic()) {
      if ((await this.#clock.pause(left, this.#ended.signal)) === 'aborted') return;
    }
    this.#over.abort();
  }
}
