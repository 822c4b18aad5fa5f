import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { streamEventStream } from '../../domain/stream/events.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import { isUuid } from '../input/uuid.ts';

/** Whether the caller may see the resources of `creatorId`: their own, and for an admin all. */
export const maySee = (caller: Caller, creatorId: string): boolean => caller.subject === creatorId || hasRole(caller, 'admin');

/** Throws 404 for an id that no stream can have, so that stores are not asked for it. */
export const checkStreamId = (streamId: string): void => {
  if (!isUuid(streamId)) throw notFound('stream');
};

/** The current stream; `null` if the caller can see none with this id. */
export const lookUpStream = async (readModels: ReadModels, streamId: string, caller: Caller): Promise<StreamDocument | null> => {
  if (!isUuid(streamId)) return null;
  const document = await readModels.getFresh(streamsProjection, streamId, streamEventStream(streamId));
  return document && maySee(caller, document.stream.creatorId) ? document : null;
};

/** Like `lookUpStream`, but throws the 404. */
export const visibleStream = async (readModels: ReadModels, streamId: string, caller: Caller): Promise<StreamDocument> => {
  const document = await lookUpStream(readModels, streamId, caller);
  if (!document) throw notFound('stream');
  return document;
};
