import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Problem } from '../../domain/problem.ts';
import { forEachItem, STOP } from '../../supervision/items.ts';
import { slicesOf } from '../export/steps.ts';
import { hasBody } from '../input/body.ts';
import { errorBody } from '../server/errors.ts';
import type { ApiResponse } from '../server/route.ts';
import { targetOf } from '../server/target.ts';

type Headers = Readonly<Record<string, string>>;
type Whole = Exclude<ApiResponse, { chunks: unknown }>;

// How long the rest of a refused body is read, so that the client sees the answer instead of a reset connection.
const LINGER_MILLISECONDS = 2_000;
// If no more than this is left of a body, the server reads it to its end and keeps the connection.
const SMALL_BODY_BYTES = 65_536;

/** Writes a complete answer. `headers` are common to all answers; the handler's own take precedence. */
export const answerWhole = (outgoing: ServerResponse, { status, body, contentType, headers: own }: Whole, headers: Headers): void => {
  if (body === undefined) {
    outgoing.writeHead(status, { ...headers, ...own, ...(status === 204 || status === 304 ? {} : { 'Content-Length': '0' }) });
    outgoing.end();
    return;
  }
  const content = contentType !== undefined && (typeof body === 'string' || body instanceof Uint8Array) ? body : JSON.stringify(body);
  outgoing.writeHead(status, {
    ...headers,
    'Content-Type': contentType ?? 'application/json',
    'Content-Length': String(Buffer.byteLength(content)),
    ...own,
  });
  outgoing.end(content);
  // Node's own connection timer, which restarts while the client takes bytes.
  outgoing.setTimeout(PATIENCE_MILLISECONDS, () => {
    if (!outgoing.writableFinished) outgoing.destroy();
  });
};

/** A reader that reads nothing for this long is disconnected, because its answer would stay in memory. */
const PATIENCE_MILLISECONDS = 60_000;
/** Bytes written at a time, so that slow but steady readers are recognised. */
const PIECE = 65_536;

interface Reader {
  readonly headOnly: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Counts bytes that wait for the reader until the returned function is called. */
  readonly wait: (bytes: number) => () => void;
  /** Resolves when these bytes may be sent; `undefined` if they may be sent at once. */
  readonly pace: (bytes: number) => Promise<unknown> | undefined;
}

/**
 * Writes a streamed answer at the pace of its reader, until the source ends or the client leaves. A reader that reads nothing for a minute is cut
 * off. HEAD gets only the headers.
 */
export const answerStream = async (
  outgoing: ServerResponse,
  { status, contentType, chunks, headers: own }: Extract<ApiResponse, { chunks: unknown }>,
  headers: Headers,
  { headOnly, signal, clock, wait, pace }: Reader,
): Promise<void> => {
  outgoing.writeHead(status, { ...headers, 'Content-Type': contentType, ...own });
  if (headOnly) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await forEachItem(chunks, async (chunk) => {
    if (signal.aborted) return STOP;
    const taken = wait(chunk.length);
    try {
      await pace(chunk.length);
      for (const piece of pieces(chunk)) {
        if (signal.aborted) return STOP;
        if (!outgoing.write(piece)) await drained(outgoing, signal, clock);
      }
      return undefined;
    } finally {
      taken();
    }
  });
  if (!signal.aborted) outgoing.end();
};

function* pieces(chunk: string | Uint8Array): Generator<string | Uint8Array> {
  if (chunk.length <= PIECE) return yield chunk;
  // Not as bytes first: a slow reader would hold the text and its bytes.
  if (typeof chunk === 'string') return yield* slicesOf(chunk);
  for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
}

const drained = (outgoing: ServerResponse, signal: AbortSignal, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = new AbortController();
    const go = (): void => {
      over.abort(TAKEN);
      outgoing.off('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    outgoing.on('drain', go);
    signal.addEventListener('abort', go);
    void clock.pause(PATIENCE_MILLISECONDS, over.signal).then((pause) => {
      if (pause === 'elapsed') outgoing.destroy();
    });
  });

// Created once: the default reason builds an exception with its stack each time.
const TAKEN = new Error('the reader has taken what was sent');

/**
 * Writes a refusal. While a large body is still arriving, the connection is closed after the answer, and after reading the body for a moment: a
 * client that is still sending would otherwise see a reset instead of the answer.
 */
export const answerProblem = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  problem: Problem,
  headers: Headers,
  clock: Clock,
): Promise<void> => {
  const body = errorBody(problem, targetOf(incoming.url ?? '').path);
  const answer: Whole = { status: problem.statusCode, body, headers: problem.headers };
  // After 408 the connection is always closed: a slow body may never end.
  if (problem.statusCode !== 408 && !restIsLarge(incoming)) return answerWhole(outgoing, answer, headers);
  const text = JSON.stringify(answer.body);
  outgoing.writeHead(problem.statusCode, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...problem.headers,
    Connection: 'close',
  });
  outgoing.write(text);
  if (!waitsForContinue(incoming)) await linger(incoming, clock);
  outgoing.end();
};

const restIsLarge = (incoming: IncomingMessage): boolean =>
  !incoming.complete && hasBody(incoming) && !(Number(incoming.headers['content-length']) <= SMALL_BODY_BYTES);

// The client expects "100 Continue" and did not get it, so it sends no body.
const waitsForContinue = (incoming: IncomingMessage): boolean =>
  incoming.headers.expect?.toLowerCase() === '100-continue' && !incoming.readableDidRead;

const linger = (incoming: IncomingMessage, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const over = new AbortController();
    const done = (): void => {
      over.abort();
      resolve();
    };
    incoming.once('end', done).once('close', done).on('error', done).resume();
    void clock.pause(LINGER_MILLISECONDS, over.signal).then(done);
  });
