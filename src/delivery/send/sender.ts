import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Agent, type Dispatcher, errors } from 'undici';
import { guardedAgent, type WayOut } from '../../addressGuard/agent.ts';
import { AddressRefused } from '../../addressGuard/connect.ts';
import { ConnectionNote } from '../../addressGuard/notedClient.ts';
import { NameNotResolved } from '../../addressGuard/resolve.ts';
import type { Clock } from '../../clock.ts';
import { aborted } from '../../supervision/aborted.ts';
import { boundedRequest, causeOf } from '../../supervision/boundedRequest.ts';
import { USER_AGENT } from '../../userAgent.ts';
import { AttemptTimedOut, type Flight } from '../queue/flight.ts';
import { type AttemptEnd, endOfResponse, endWithoutResponse } from '../retryRules.ts';

export interface Sender {
  /** Posts once; redirects are not followed. `abandoned`: the node stopped it before headers came, so it is not recorded. Never rejects. */
  send(url: string, headers: Readonly<Record<string, string>>, body: string, flight: Flight): Promise<AttemptEnd | 'abandoned'>;
  /** Closes all connections at once, also those that are still being made. */
  close(): void;
}

/** To one origin, for all users together. */
const CONNECTIONS = 256;
const KEEP_ALIVE_MILLISECONDS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** The same for every address, so that it tells nothing about the network. */
const REFUSED_REASON = 'The address is not allowed.';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ENOTFOUND: 'name not found',
  ENODATA: 'name not found',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_ABORTED: 'refused by the proxy',
  UND_ERR_PRX_CONN: 'proxy failure',
  UND_ERR_PRX_TLS: 'proxy failure',
  UND_ERR_HEADERS_OVERFLOW: 'headers too large',
  TOO_MANY_1XX: 'too many 1xx responses',
};

const isTls = (code: string): boolean => /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME)/.test(code);

const reasonOf = (error: unknown): string => {
  if (error instanceof NameNotResolved) return 'name not found';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Node's parser and undici's have different errors for the same fault.
  if (code === 'HPE_HEADER_OVERFLOW' || error instanceof errors.HeadersOverflowError) return 'headers too large';
  if (code.startsWith('HPE_') || error instanceof errors.HTTPParserError) return 'no HTTP answer';
  if (isTls(code)) return 'TLS failure';
  return REASONS[code] ?? 'connection failed';
};

const text = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** undici notices an abort only once it has a connection. */
const rejectOnAbort = async ({ signal }: Flight): Promise<never> => {
  await aborted(signal);
  throw signal.reason;
};

interface SenderDeps {
  /** It checks every connection. */
  readonly guard: WayOut;
  readonly clock: Clock;
  readonly userAgent?: string;
}

/** Posts webhooks over kept connections. */
export const openSender = ({ guard, clock, userAgent = USER_AGENT }: SenderDeps): Sender => {
  const connections = new Connections(guard);
  return {
    async send(url, given, body, flight) {
      const headers = { ...given, 'user-agent': userAgent };
      try {
        const response = await connections.request(url, { method: 'POST', headers, body }, flight);
        flight.arrived();
        const end = endOfResponse(response.statusCode, text(response.headers['retry-after']), clock.now());
        const excerpt = await readExcerpt(response.body, {
          empty: response.statusCode === 204 || response.headers['content-length'] === '0',
          encoding: text(response.headers['content-encoding']),
        });
        return { ...end, excerpt };
      } catch (error) {
        if (flight.signal.aborted && !(flight.signal.reason instanceof AttemptTimedOut)) return 'abandoned';
        if (flight.signal.aborted) return endWithoutResponse('retry', 'timed out');
        const cause = causeOf(error);
        return cause instanceof AddressRefused
          ? endWithoutResponse('refused', REFUSED_REASON)
          : endWithoutResponse('retry', reasonOf(cause));
      }
    },
    close: () => connections.close(),
  };
};

/** Errors of a request on a connection that its server has just closed. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

type Request = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>;

class Connections {
  readonly #kept: Dispatcher;
  readonly #fresh: Dispatcher;

  constructor(guard: WayOut) {
    const agent = (options: Agent.Options) => guardedAgent(guard, { ...common, ...options });
    const common = {
      connections: CONNECTIONS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The flight's signal bounds the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#kept = agent({ pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS });
    // 0: one request a connection.
    this.#fresh = agent({ pipelining: 0 });
  }

  /** A request that meets a kept connection just as its server closes it is repeated once on a new one. */
  async request(url: string, request: Request, flight: Flight): Promise<Dispatcher.ResponseData<unknown>> {
    const connection = new ConnectionNote();
    const ask = (dispatcher: Dispatcher) => {
      const asked = boundedRequest(url, { ...request, dispatcher, signal: flight.signal, opaque: connection });
      return Promise.race([asked, rejectOnAbort(flight)]);
    };
    const mayRepeat = () => connection.isReused && !flight.signal.aborted;
    try {
      const response = await ask(this.#kept);
      if (response.statusCode !== 408 || !mayRepeat()) return response;
      response.body.on('error', () => undefined).destroy();
    } catch (error) {
      if (!mayRepeat() || connection.isAnswered || !isClosed(error)) throw error;
    }
    return ask(this.#fresh);
  }

  close(): void {
    for (const agent of [this.#kept, this.#fresh]) void agent.destroy().catch(() => undefined);
  }
}

const isClosed = (error: unknown): boolean => error instanceof Error && 'code' in error && CLOSED.has(String(error.code));

const EXCERPT_BYTES = 16 * 1024;

const decoderOf = (encoding: string): NodeJS.ReadWriteStream | null => {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : null;
};

/**
 * The first 16 KiB of an answer, decompressed; `null` if it has no body or cannot be read. Never holds more than a few chunks; the
 * connection of a longer body is closed. An abort of the flight's signal ends the body: then the excerpt is the part that arrived.
 */
const readExcerpt = async (
  body: Readable,
  { empty, encoding }: { empty: boolean; encoding: string | undefined },
): Promise<string | null> => {
  body.on('error', () => undefined);
  if (empty) {
    // A body read to its end keeps the connection.
    body.resume();
    return null;
  }
  const coding = encoding?.trim().toLowerCase() ?? 'identity';
  const decoder = coding === '' || coding === 'identity' ? null : decoderOf(coding);
  const source: NodeJS.ReadableStream = decoder ? body.pipe(decoder) : body;
  const chunks: Buffer[] = [];
  let bytes = 0;
  body.once('close', () => {
    if (decoder && !body.readableEnded) decoder.end();
  });
  try {
    for await (const chunk of source) {
      const buffer = Buffer.from(chunk);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes >= EXCERPT_BYTES) break;
    }
  } catch {
    // Cut off, or not in its declared encoding: the readable part is kept.
  }
  if (!body.readableEnded) body.destroy();
  return bytes === 0 ? null : Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
};
