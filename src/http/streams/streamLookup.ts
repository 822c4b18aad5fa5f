import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { atAttempt } from '../../domain/stream/attempts.ts';
import { streamEventStream } from '../../domain/stream/events.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import { timeRange, type Where } from '../input/timeRange.ts';
import type { QueryParameter } from '../route/route.ts';

/** The read models that show a change of a stream, directly and through its group. */
export const SHOW_STREAMS = ['streams', 'groups', 'usage'] as const;

/** Whether the caller may see the resources of `creatorId`: their own, and for an admin all. */
export const maySee = (caller: Caller, creatorId: string): boolean => caller.subject === creatorId || hasRole(caller, 'admin');

/** The current stream; `null` if the caller can see none with this id. */
export const lookUpStream = async (readModels: ReadModels, streamId: string, caller: Caller): Promise<StreamDocument | null> => {
  const document = await readModels.getFresh(streamsProjection, streamId, streamEventStream(streamId));
  return document && maySee(caller, document.stream.creatorId) ? document : null;
};

/** Like `lookUpStream`, but throws the 404. */
export const visibleStream = async (readModels: ReadModels, streamId: string, caller: Caller): Promise<StreamDocument> => {
  const document = await lookUpStream(readModels, streamId, caller);
  if (!document) throw notFound('stream');
  return document;
};

/** Selects streams by the time of their creation, in the read models' form of times. Both bounds are inclusive; `null`: no bound. */
export const createdWithin = (from: string | null, to: string | null): Where => timeRange('createdTimestamp', from, to);

export const ATTEMPT_PARAMETER = {
  schema: { type: 'integer', minimum: 1 },
  description:
    'Shows the stream as it was in this attempt: 1 is the upload. Default: the newest run of each stage; for results, the newest that completed.',
} as const satisfies QueryParameter;

/** The stream as it was in an attempt; `undefined` is the newest. Throws 404 for an attempt that the stream does not have. */
export const ofAttempt = (document: StreamDocument, attempt: number | undefined): StreamDocument => {
  const found = attempt === undefined ? document : atAttempt(document, attempt);
  if (!found) throw notFound('attempt of this stream');
  return found;
};
