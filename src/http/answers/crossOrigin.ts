import type { IncomingMessage } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** What pages of other origins may send, and read of an answer: all that the interface has, besides what browsers always let through. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'traceparent',
  'tracestate',
  'Tributary-After',
  'X-Client-Id',
  'X-Client-Secret',
  'X-Correlation-Id',
  'X-Template-Patch',
  'X-Vat-Meta-Template-Patch',
].join(', ');
const ANSWER_HEADERS = [
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Tributary-Consistency',
  'Tributary-Position',
  'WWW-Authenticate',
  'X-Correlation-Id',
].join(', ');
const REMEMBERED_SECONDS = '7200';
const NONE: Headers = {};

/**
 * Cross-origin sharing by the list of the settings: `*` is every origin. `Access-Control-Allow-Credentials` is never sent: no cookie means
 * anything here, so that a page of another origin can do only what the credentials that it holds itself allow.
 */
export class CrossOrigin {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
  }

  /** For every answer. */
  headers({ headers }: IncomingMessage): Headers {
    if (this.#origins.size === 0) return NONE;
    const { origin } = headers;
    const vary: Headers = this.#any ? NONE : { Vary: 'Origin' };
    if (origin === undefined || !(this.#any || this.#origins.has(origin))) return vary;
    return { ...vary, 'Access-Control-Allow-Origin': this.#any ? '*' : origin, 'Access-Control-Expose-Headers': ANSWER_HEADERS };
  }

  /** For the answer to OPTIONS: what a browser asks before it sends. Nothing for an origin that is not on the list. */
  preflight(incoming: IncomingMessage, allow: string): Headers {
    const asked = incoming.headers['access-control-request-method'] !== undefined;
    if (!asked || this.headers(incoming)['Access-Control-Allow-Origin'] === undefined) return NONE;
    return {
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': REMEMBERED_SECONDS,
    };
  }
}
