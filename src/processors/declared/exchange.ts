import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { versionName } from '../../domain/processorDeclarations/declaration.ts';
import type { Limits } from '../../limits.ts';
import { OVER } from '../../supervision/aborted.ts';
import { boundedRequest, causeOf } from '../../supervision/boundedRequest.ts';
import { parseRetryAfter } from '../../supervision/retryAfter.ts';
import { within } from '../../supervision/within.ts';
import { EngineAway, ProcessorError, type RunReport } from '../processor.ts';
import { readAnswer } from './answer.ts';
import { failed, type HttpRun, type SignedHead, signedHead } from './httpRun.ts';

export interface ExchangeDeps {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly limits: Pick<Limits, 'processorLineMaxValues'>;
  /** Makes an agent with the address guard, which checks every connection. */
  readonly agent: (options: Agent.Options) => Dispatcher;
  /** The URL's `href`; `null` if the address guard refuses it. */
  readonly judge: (url: string) => Promise<string | null>;
  /** Whether the address guard refused a failed connection. */
  readonly isRefused: (error: unknown) => boolean;
  /** Signs by Standard Webhooks. `now` in milliseconds since the epoch. */
  readonly sign: (id: string, now: number, body: string, secrets: readonly string[]) => object;
}

const FIRST_POLL_MS = 1_000;
const LAST_POLL_MS = 30_000;
/** Also for `Retry-After: 0`. */
const LEAST_POLL_MS = 100;
const GOODBYE_MS = 5_000;
/** Between two looks whether the input of a live run has ended. */
const LOOK_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1_024;
/** Received bytes are written in one piece of at most this size. */
const ANSWER_BYTES = 262_144;
const SMALL_BODY_BYTES = 65_536;

/** Pause after a connection that was refused, before the first repetition. */
const AWAY_PAUSE_MS = 1_000;
/** A processor that is restarted, or whose proxy or name is away for a moment. Malformed answers and certificates that do not verify are failures. */
const AWAY_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  // The proxy is away, or does not reach the processor.
  'UND_ERR_ABORTED',
  'UND_ERR_PRX_CONN',
]);

class TimedOut extends Error {}

const CONTENT_TYPES: Readonly<Record<string, string>> = { bytes: 'application/octet-stream', string: 'text/plain; charset=utf-8' };

/** Makes the requests of runs over pooled connections. */
export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #agent: Dispatcher;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
    this.#agent = deps.agent({
      // Without a limit of connections: requests that hang at an origin must not hold up other users' requests to it. Runs are limited, so connections are.
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The attempt's time limit covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Rejects with `ProcessorError` if the processor is at fault, and with the signal's reason if the run is aborted. */
  async run(run: HttpRun): Promise<RunReport> {
    const attempt = new Attempt(this.#deps, this.#agent, run);
    try {
      return await attempt.report();
    } catch (error) {
      const meaning = run.signal.aborted ? run.signal.reason : attempt.meaningOf(error);
      await attempt.giveUp(meaning);
      run.signal.throwIfAborted();
      throw meaning;
    } finally {
      attempt.over();
    }
  }

  close(): void {
    void this.#agent.destroy().catch(() => undefined);
  }
}

class Attempt {
  readonly #deps: ExchangeDeps;
  readonly #agent: Dispatcher;
  readonly #run: HttpRun;
  readonly #timer = new AbortController();
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  /** Error while reading the input, which is not the processor's fault. */
  #inputFailure: { error: unknown } | null = null;
  #location: string | null = null;
  /** The answer to the last request has begun. */
  #answering = false;
  #head: SignedHead = { text: '', headers: {} };

  constructor(deps: ExchangeDeps, agent: Dispatcher, run: HttpRun) {
    this.#deps = deps;
    this.#agent = agent;
    this.#run = run;
    this.#signal = AbortSignal.any([run.signal, this.#timer.signal]);
    if (run.declaration.mode === 'batch') this.#startTimer();
    else void this.#startTimerAtEndOfInput();
  }

  over(): void {
    this.#ended.abort(OVER);
  }

  async report(): Promise<RunReport> {
    const { url } = this.#run.declaration;
    const href = url === null ? null : await this.#deps.judge(url);
    if (href === null) throw this.#refused();
    this.#head = headOf(this.#run);
    let response = await this.#ask('POST', href, await this.#body());
    let from = href;
    for (let pause = FIRST_POLL_MS; response.statusCode === 202; pause = Math.min(pause * 2, LAST_POLL_MS)) {
      discard(response);
      from = this.#location = await this.#locationOf(response, from);
      await this.#deps.clock.pause(Math.max(LEAST_POLL_MS, this.#retryAfter(response) ?? pause), this.#signal);
      this.#signal.throwIfAborted();
      response = await this.#ask('GET', from, null);
    }
    const report = await this.#answer(response);
    this.#location = null;
    return report;
  }

  /** Tells a processor that works asynchronously (202) to stop, unless another attempt of the same run needs its job. */
  async giveUp(failure: unknown): Promise<void> {
    if (this.#location === null || this.#run.repeats(failure)) return;
    const options = { method: 'DELETE', headers: this.#headers(), dispatcher: this.#agent } as const;
    const goodbye = boundedRequest(this.#location, { ...options, signal: AbortSignal.timeout(GOODBYE_MS) }).then(discard, () => undefined);
    // A cancelled run ends within a second, whatever the processor does.
    await within(this.#deps.clock, 500, goodbye);
  }

  meaningOf(error: unknown): unknown {
    if (this.#inputFailure) return this.#inputFailure.error;
    if (this.#timer.signal.aborted) return failed(this.#run, `did not finish within ${this.#run.declaration.limits.timeoutMs} ms.`);
    if (error instanceof ProcessorError) return error;
    if (this.#deps.isRefused(causeOf(error))) return this.#refused();
    const code = codeOf(causeOf(error));
    const failure = failed(this.#run, `closed or refused the connection (${code}).`);
    if (this.#answering || !AWAY_CODES.has(code)) return failure;
    return new EngineAway(failure.errorName, failure.message, null, 0, AWAY_PAUSE_MS);
  }

  #refused(): ProcessorError {
    return failed(this.#run, 'has an address that is not allowed.', { final: true });
  }

  #startTimer(): void {
    const { timeoutMs } = this.#run.declaration.limits;
    void this.#deps.clock.pause(timeoutMs, this.#ended.signal).then((pause) => pause === 'elapsed' && this.#timer.abort(new TimedOut()));
  }

  /** The end of the input, not of what was sent: a processor that stops reading must not run for ever. */
  async #startTimerAtEndOfInput(): Promise<void> {
    while (!(await this.#run.inputIsComplete().catch(() => false)))
      if ((await this.#deps.clock.pause(LOOK_MS, this.#ended.signal)) === 'aborted') return;
    this.#startTimer();
  }

  /** A small input that is complete goes out in one piece, which costs less than a stream. */
  async #body(): Promise<Buffer | Readable> {
    const input = this.#input();
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const asStream = () => Readable.from(joined(pieces, input), { objectMode: false });
    if (!(await this.#run.inputIsComplete().catch(() => false))) return asStream();
    for (let next = await input.next(); !next.done; next = await input.next()) {
      pieces.push(next.value);
      bytes += next.value.length;
      if (bytes > SMALL_BODY_BYTES) return asStream();
    }
    return Buffer.concat(pieces);
  }

  async *#input(): AsyncGenerator<Uint8Array, undefined> {
    try {
      yield* this.#run.body();
    } catch (error) {
      this.#inputFailure = { error };
      throw error;
    }
    return undefined;
  }

  #headers(): Record<string, string> {
    const { runId, secrets } = this.#run;
    return {
      'user-agent': this.#deps.userAgent,
      ...this.#head.headers,
      ...this.#deps.sign(runId, this.#deps.clock.now(), this.#head.text, secrets),
    };
  }

  async #ask(method: 'POST' | 'GET', url: string, body: Readable | Buffer | null): Promise<Dispatcher.ResponseData> {
    const { inputSchema } = this.#run.declaration;
    const type = (typeof inputSchema === 'string' && CONTENT_TYPES[inputSchema]) || 'application/x-ndjson';
    const headers = body ? { ...this.#headers(), 'content-type': type } : this.#headers();
    const began = this.#deps.clock.monotonic();
    const tell = (status: number | null) =>
      this.#run.told?.({ method, status, durationMs: Math.round(this.#deps.clock.monotonic() - began) });
    this.#answering = false;
    try {
      const options = { method, headers, body, dispatcher: this.#agent, signal: this.#signal, highWaterMark: ANSWER_BYTES };
      const response = await boundedRequest(url, options);
      this.#answering = true;
      response.body.on('error', () => undefined);
      tell(response.statusCode);
      return response;
    } catch (error) {
      tell(null);
      throw error;
    } finally {
      // A response may arrive before the whole input has been sent.
      if (body instanceof Readable) body.on('error', () => undefined);
    }
  }

  /** Address of the next poll. A poll without `Location` is repeated at the same address. */
  async #locationOf({ headers }: Dispatcher.ResponseData, from: string): Promise<string> {
    const location = String(headers.location ?? '');
    if (location === '' && this.#location !== null) return this.#location;
    if (location === '' || !URL.canParse(location, from)) throw failed(this.#run, 'answered 202 without a valid Location.');
    const href = await this.#deps.judge(new URL(location, from).href);
    if (href === null) throw this.#refused();
    return href;
  }

  #retryAfter({ headers }: Dispatcher.ResponseData): number | null {
    return parseRetryAfter(headers['retry-after'], this.#deps.clock.now());
  }

  async #answer(response: Dispatcher.ResponseData): Promise<RunReport> {
    const { statusCode, headers, body } = response;
    const failure = this.#failureOf(response);
    if (failure) {
      discard(response);
      throw failure;
    }
    try {
      return await readAnswer(this.#run, String(headers['content-type'] ?? ''), body, this.#deps.limits);
    } finally {
      if (statusCode === 200) discard(response);
    }
  }

  #failureOf(response: Dispatcher.ResponseData): ProcessorError | null {
    const { statusCode: status, headers } = response;
    if (status === 200) {
      const encoding = String(headers['content-encoding'] ?? 'identity');
      return encoding === 'identity' ? null : failed(this.#run, 'answered with a content encoding. Send the answer unencoded.');
    }
    if (status >= 300 && status < 400) return failed(this.#run, `answered with a redirect (${status}), which is not followed.`);
    const retryAfter = this.#retryAfter(response);
    if ((status === 429 || status === 503) && retryAfter !== null)
      return failed(this.#run, `answered with status ${status}.`, { retryAfter, waits: true });
    return failed(this.#run, `answered with status ${status}.`, { final: status >= 400 && status < 500 });
  }
}

const headOf = ({ runId, attempt, streamId, declaration, properties, traceparent }: HttpRun): SignedHead => {
  const { text, headers } = signedHead({ runId, attempt, streamId, processor: versionName(declaration), properties });
  return { text, headers: { ...headers, ...(traceparent !== undefined && { traceparent }) } };
};

async function* joined(begun: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* begun;
  yield* rest;
}

const discard = ({ body }: Dispatcher.ResponseData): void => {
  // Aborting a body makes it fail; that failure is expected.
  body.on('error', () => undefined);
  body.destroy();
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code).slice(0, 50) : codeOf(error.cause);
};
