import compression from 'compression';
import type { RequestHandler } from 'express';
import type { RequestTrace } from '../server/requestLog.ts';

/** Smaller answers already fit into a few packets. */
const SMALLEST_BYTES = 4_096;
const TEXTUAL = /^(text\/|image\/svg\+xml|application\/(json|x-ndjson|x-subrip)\b)/;

/**
 * Compresses large texts for clients that accept it. Never an answer with a secret (its length would reveal it: BREACH) or with an ETag (which names
 * these exact bytes), and no streamed answer, whose length is unknown.
 */
export const compressed = (): RequestHandler =>
  compression({
    threshold: 0,
    filter: (_request, response) => {
      const trace: RequestTrace = response.locals.trace;
      return (
        Number(response.getHeader('Content-Length')) >= SMALLEST_BYTES &&
        TEXTUAL.test(String(response.getHeader('Content-Type'))) &&
        !response.hasHeader('ETag') &&
        trace.route?.holdsSecret !== true
      );
    },
  });
