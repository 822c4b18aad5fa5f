import compression from 'compression';
import type { Request, Response } from 'express';
import type { ApiResponse, Route } from '../route/route.ts';

type Whole = Exclude<ApiResponse, { chunks: unknown }>;

/** Smaller answers already fit into a few packets. */
const SMALLEST_BYTES = 4_096;
const TEXTUAL = /^(text\/|image\/svg\+xml|application\/(json|x-ndjson|x-subrip)\b)/;

const compress = compression({ threshold: 0, filter: () => true });

/**
 * Lets `compression` write the answer if it is a large text. Never an answer with a secret (its length would reveal it: BREACH) or with an ETag (which
 * names these exact bytes); streamed answers are not passed here. Returns the answer with its body as text.
 */
export const compressed = (request: Request, response: Response, { holdsSecret }: Route, whole: Whole): Whole => {
  const { body, contentType = 'application/json', headers } = whole;
  if (body === undefined || holdsSecret || headers?.ETag !== undefined || !TEXTUAL.test(contentType)) return whole;
  const isContent = whole.contentType !== undefined && (typeof body === 'string' || body instanceof Uint8Array);
  const content = isContent ? body : JSON.stringify(body);
  // Mounted for large answers only: it would make a small one a third dearer.
  if (content.length >= SMALLEST_BYTES) compress(request, response, () => {});
  return { ...whole, body: content, contentType };
};
