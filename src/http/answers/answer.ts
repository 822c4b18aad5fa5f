import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Problem } from '../../domain/problem.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import { OVER } from '../../supervision/aborted.ts';
import { errorBody } from '../errors/errors.ts';
import { hasBody } from '../input/body.ts';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import type { Place } from '../limits/requestPlaces.ts';
import type { ApiResponse } from '../route/route.ts';

type Whole = Exclude<ApiResponse, { chunks: unknown }>;

// How long the rest of a refused body is read, so that the client sees the answer instead of a reset connection.
const LINGER_MILLISECONDS = 2_000;
// If no more than this is left of a body, the server reads it to its end and keeps the connection.
const SMALL_BODY_BYTES = 65_536;

/** Writes a complete answer, and returns the bytes of its body. Its headers take precedence over those of all answers. */
export const answerWhole = (
  outgoing: ServerResponse,
  { status, body, contentType, headers }: Whole,
  { answerTimeoutS }: Pick<Limits, 'answerTimeoutS'> = DEFAULT_LIMITS,
): number => {
  if (body === undefined) {
    outgoing.writeHead(status, { ...headers, ...(status === 204 || status === 304 ? {} : { 'Content-Length': '0' }) });
    outgoing.end();
    return 0;
  }
  const content = contentType !== undefined && (typeof body === 'string' || body instanceof Uint8Array) ? body : JSON.stringify(body);
  const size = Buffer.byteLength(content);
  outgoing.writeHead(status, { 'Content-Type': contentType ?? 'application/json', 'Content-Length': String(size), ...headers });
  outgoing.end(content);
  // Node's own connection timer, which restarts while the client takes bytes.
  outgoing.setTimeout(answerTimeoutS * 1_000, () => {
    if (!outgoing.writableFinished) outgoing.destroy();
  });
  return size;
};

/** Bytes written at a time, so that slow but steady readers are recognised. */
const PIECE = 65_536;

interface Reader {
  readonly headOnly: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'answerTimeoutS'>;
  readonly memory: HeldMemory;
  readonly place: Place;
}

/**
 * Writes a streamed answer at the pace of its reader, until the source ends or the client leaves. A reader that takes no byte for `ANSWER_TIMEOUT_S` is
 * cut off. HEAD gets only the headers.
 */
export const answerStream = async (
  outgoing: ServerResponse,
  { status, contentType, chunks, headers }: Extract<ApiResponse, { chunks: unknown }>,
  reader: Reader,
): Promise<void> => {
  const { headOnly, signal, memory, place } = reader;
  outgoing.writeHead(status, { 'Content-Type': contentType, ...headers });
  if (headOnly) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    memory.add(bytes.length);
    for (let at = 0; at < bytes.length && !signal.aborted; at += PIECE)
      if (!outgoing.write(bytes.subarray(at, at + PIECE))) await place.outside(() => drained(outgoing, reader));
    memory.give(bytes.length);
    if (signal.aborted) return;
  }
  outgoing.end();
};

const drained = (outgoing: ServerResponse, { signal, clock, limits: { answerTimeoutS } }: Reader): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = new AbortController();
    const go = (): void => {
      over.abort(OVER);
      outgoing.off('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    outgoing.on('drain', go);
    signal.addEventListener('abort', go);
    void clock.pause(answerTimeoutS * 1_000, over.signal).then((pause) => {
      if (pause === 'elapsed') outgoing.destroy();
    });
  });

/**
 * Writes a refusal. While a large body is still arriving, the connection is closed after the answer, and after reading the body for a moment: a
 * client that is still sending would otherwise see a reset instead of the answer.
 */
export const answerProblem = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  problem: Problem,
  path: string,
  clock: Clock,
): Promise<void> => {
  const body = errorBody(problem, path);
  const answer: Whole = { status: problem.statusCode, body, headers: problem.headers };
  // After 408 the connection is always closed: a slow body may never end.
  if (problem.statusCode !== 408 && !restIsLarge(incoming)) return void answerWhole(outgoing, answer);
  const text = JSON.stringify(answer.body);
  outgoing.writeHead(problem.statusCode, {
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
