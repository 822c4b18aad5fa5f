import cors from 'cors';
import type { Middleware } from './middleware.ts';

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
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Client-Id',
  'X-Client-Secret',
  'X-Correlation-Id',
  'X-HTTP-Method-Override',
  'X-Template-Patch',
  'X-Vat-Meta-Template-Patch',
  ...OPENAI_CLIENT_HEADERS,
];
const ANSWER_HEADERS = [
  'Content-Disposition',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Tributary-Consistency',
  'Tributary-Position',
  'Tributary-Replaced',
  'Tributary-Stream-Id',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'WWW-Authenticate',
  'X-Correlation-Id',
  'X-Request-Id',
  'X-Should-Retry',
  'X-Stream-Id',
];
const REMEMBERED_SECONDS = 7_200;

/**
 * CORS by the configured list; `*` allows every origin. Never sends `Access-Control-Allow-Credentials`: a page of another origin cannot use
 * the cookie of a session, only credentials that it holds itself. A preflight continues to the route, which knows its methods.
 */
export const crossOrigin = (origins: readonly string[]): Middleware => {
  const any = origins.includes('*');
  const share = cors({
    // An origin that is not listed gets no header.
    origin: any ? '*' : (origin, decide) => decide(null, origin !== undefined && origins.includes(origin) ? origin : false),
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: REMEMBERED_SECONDS,
    preflightContinue: true,
  });
  return (request, response, next) => {
    if (!any && origins.length > 0) response.vary('Origin');
    if (origins.length > 0) share(request, response, next);
    else next();
  };
};
