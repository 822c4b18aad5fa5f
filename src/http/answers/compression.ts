import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request } from 'express';
import type { ApiResponse, Route } from '../server/route.ts';
import { ConstantBody } from './constantBody.ts';

type Whole = Exclude<ApiResponse, { chunks: unknown }>;

const zipped = promisify(gzip);

/** Smaller answers already fit into a few packets. */
const SMALLEST_BYTES = 4_096;
const TEXTUAL = /^(text\/|application\/(json|x-ndjson|x-subrip)\b)/;

/**
 * The answer, in gzip if it is large enough and the client accepts it. Never an answer with a secret (its length would reveal it: BREACH) or with an ETag
 * (which names these exact bytes); streamed answers are not passed here.
 */
export const compressed = async (request: Request, outgoing: ServerResponse, route: Route, response: Whole): Promise<Whole> => {
  const vary = outgoing.getHeader('Vary')?.toString();
  const { body, contentType = 'application/json', headers } = response;
  if (body instanceof ConstantBody) return constant(request, response, body, vary);
  if (body === undefined || body instanceof Uint8Array || route.holdsSecret || headers?.ETag !== undefined || !TEXTUAL.test(contentType))
    return response;
  const content = typeof body === 'string' && response.contentType !== undefined ? body : JSON.stringify(body);
  if (content.length < SMALLEST_BYTES) return response;
  const varying = { ...response, body: content, contentType, headers: { ...headers, Vary: varyOf(vary) } };
  return acceptsGzip(request) ? inGzip(varying, await zipped(content)) : varying;
};

const varyOf = (vary: string | undefined): string => (vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding');

const acceptsGzip = (request: Request): boolean => request.acceptsEncodings('gzip', 'identity') === 'gzip';

const inGzip = (response: Whole, body: Buffer): Whole => ({
  ...response,
  body,
  headers: { ...response.headers, 'Content-Encoding': 'gzip' },
});

const constant = async (request: Request, response: Whole, body: ConstantBody, vary: string | undefined): Promise<Whole> => {
  const headers = { ...response.headers, Vary: varyOf(vary) };
  const whole: Whole = { ...response, contentType: response.contentType ?? 'application/json', headers, body: body.bytes };
  return acceptsGzip(request) ? inGzip(whole, await body.zipped) : whole;
};
