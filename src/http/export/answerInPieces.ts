import { wholeIfShort } from '../answers/list.ts';
import type { ApiResponse } from '../server/route.ts';
import { inPieces } from './steps.ts';

/** Long results are sent in pieces: one `JSON.stringify` would take a second and more. */
export const answerInPieces = async (contentType: string, parts: Iterable<string>): Promise<ApiResponse> => {
  const text = await wholeIfShort(inPieces(parts));
  return typeof text === 'string' ? { status: 200, contentType, body: text } : { status: 200, contentType, chunks: text };
};
