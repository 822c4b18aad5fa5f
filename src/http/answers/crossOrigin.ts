import type { IncomingMessage } from 'node:http';

type Headers = Readonly<Record<string, string>>;

// The OpenAI clients send these with every request, and browsers ask for each.
const OPENAI_CLIENT_HEADERS = ['Arch', 'Lang', 'OS', 'Package-Version', 'Retry-Count', 'Runtime', 'Runtime-Version', 'Timeout'].map(
  (name) => `X-Stainless-${name}`,
);

/** Headers that pages of other origins may send and read, besides those always allowed. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'OpenAI-Organization',
  'OpenAI-Project',
  'traceparent',
  'tracestate',
  'Tributary-After',
  'X-Client-Id',
  'X-Client-Secret',
  'X-Correlation-Id',
  'X-Template-Patch',
  'X-Vat-Meta-Template-Patch',
  ...OPENAI_CLIENT_HEADERS,
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
  'X-Request-Id',
  'X-Should-Retry',
  'X-Stream-Id',
].join(', ');
const REMEMBERED_SECONDS = '7200';
const NONE: Headers = {};

/**
 * CORS by the configured list; `*` allows every origin. Never sends `Access-Control-Allow-Credentials`: there are no cookies, so a page of another
 * origin can only use credentials that it holds itself.
 */
export class CrossOrigin {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
  }

  /** Headers of every answer. */
  headers({ headers }: IncomingMessage): Headers {
    if (this.#origins.size === 0) return NONE;
    const { origin } = headers;
    const vary: Headers = this.#any ? NONE : { Vary: 'Origin' };
    if (origin === undefined || !(this.#any || this.#origins.has(origin))) return vary;
    return { ...vary, 'Access-Control-Allow-Origin': this.#any ? '*' : origin, 'Access-Control-Expose-Headers': ANSWER_HEADERS };
  }

  /** Headers of the answer to a preflight OPTIONS; empty for an origin that is not on the list. */
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
