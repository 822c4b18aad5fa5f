import { Agent, type buildConnector, errors, request } from 'undici';
import { AddressRefused } from '../../addressGuard/connect.ts';
import { NameNotResolved } from '../../addressGuard/resolve.ts';
import type { Clock } from '../../clock.ts';
import { aborted } from '../../supervision/aborted.ts';
import { AttemptTimedOut, type Flight } from '../queue/dispatcher.ts';
import { parseRetryAfter } from '../retrySchedule.ts';
import { readExcerpt } from './answerExcerpt.ts';

/** Result of one attempt. `gone`: the receiver asks to stop sending (410). */
export interface AttemptEnd {
  readonly outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  readonly status: number | null;
  /** A word or two, never text from the target; `null` for a success. */
  readonly reason: string | null;
  /** The receiver's `Retry-After` in milliseconds from now. */
  readonly retryAfter: number | null;
  readonly excerpt: string | null;
}

export interface Sender {
  /** `cut off`: the node stopped the attempt. Never rejects. */
  send(url: string, headers: Readonly<Record<string, string>>, body: string, flight: Flight): Promise<AttemptEnd | 'cut off'>;
  /** Closes at once, without waiting for connections that are being opened. */
  close(): void;
}

/** Limit per origin, for all users together. */
const CONNECTIONS = 256;
const KEEP_ALIVE_MILLISECONDS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** One constant message without text from the target. */
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
  UND_ERR_HEADERS_OVERFLOW: 'headers too large',
};

const isTls = (code: string): boolean => /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME)/.test(code);

const reasonOf = (error: unknown): string => {
  if (error instanceof NameNotResolved) return 'name not found';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Node's parser and undici's report the same in two ways.
  if (code === 'HPE_HEADER_OVERFLOW' || error instanceof errors.HeadersOverflowError) return 'headers too large';
  if (code.startsWith('HPE_') || error instanceof errors.HTTPParserError) return 'no HTTP answer';
  if (isTls(code)) return 'TLS failure';
  return REASONS[code] ?? 'connection failed';
};

/** For several addresses, the failure of the first. */
const causeOf = (error: unknown): unknown => (error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error);

const failure = (outcome: AttemptEnd['outcome'], reason: string): AttemptEnd => ({
  outcome,
  status: null,
  reason,
  retryAfter: null,
  excerpt: null,
});

const text = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** undici notices an abort only once it has a connection. */
const cutShort = async ({ signal }: Flight): Promise<never> => {
  await aborted(signal);
  throw signal.reason;
};

/** What a response means for its delivery: the table "You answer" in `docs/webhooks.md`. */
const decided = (status: number, retryAfter: string | undefined, now: number): Omit<AttemptEnd, 'excerpt'> => {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, reason: null, retryAfter: null };
  if (status === 410) return { outcome: 'gone', status, reason: 'gone', retryAfter: null };
  const asked = status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : null;
  return { outcome: 'failed', status, reason: status >= 300 && status < 400 ? 'redirect' : `status ${status}`, retryAfter: asked };
};

/** Posts webhooks over persistent connections. `connect` is the address guard's: the only way to a socket. */
export const openSender = ({ connect, clock }: { connect: buildConnector.connector; clock: Clock }): Sender => {
  const agent = new Agent({
    connect,
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The flight's signal limits all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send(url, headers, body, flight) {
      try {
        const asked = request(url, { method: 'POST', headers, body, dispatcher: agent, signal: flight.signal });
        const response = await Promise.race([asked, cutShort(flight)]);
        flight.arrived();
        const end = decided(response.statusCode, text(response.headers['retry-after']), clock.now());
        const excerpt = await readExcerpt(response.body, {
          empty: response.statusCode === 204 || response.headers['content-length'] === '0',
          encoding: text(response.headers['content-encoding']),
        });
        return { ...end, excerpt };
      } catch (error) {
        if (flight.signal.aborted) return flight.signal.reason instanceof AttemptTimedOut ? failure('failed', 'timed out') : 'cut off';
        const cause = causeOf(error);
        return cause instanceof AddressRefused ? failure('refused', REFUSED_REASON) : failure('failed', reasonOf(cause));
      }
    },
    close: () => void agent.destroy().catch(() => undefined),
  };
};
