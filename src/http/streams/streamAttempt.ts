import { notFound } from '../../domain/problem.ts';
import { atAttempt } from '../../domain/stream/attempts.ts';
import type { StreamDocument } from '../../projections/streams.ts';
import type { QueryParameter } from '../server/route.ts';

export const ATTEMPT_PARAMETER = {
  schema: { type: 'integer', minimum: 1 },
  description: 'Shows the stream as it was in this attempt: 1 is the upload. Default: the newest run of each stage.',
} as const satisfies QueryParameter;

/** The stream as it was in an attempt; `undefined` is the newest. Throws 404 for an attempt that the stream does not have. */
export const ofAttempt = (document: StreamDocument, attempt: number | undefined): StreamDocument => {
  const found = attempt === undefined ? document : atAttempt(document, attempt);
  if (!found) throw notFound('attempt of this stream');
  return found;
};
