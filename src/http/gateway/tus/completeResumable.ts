import type { AppendContext } from '../../../commands/handle.ts';
import { loadStream } from '../../../commands/loadStream.ts';
import type { ResumableUpload, ResumableUploads } from '../../../commands/resumableUploads.ts';
import { beginUpload, type UploadDeps } from '../../../commands/upload.ts';
import { conflict, notFound, Problem } from '../../../domain/problem.ts';
import type { StreamAggregate } from '../../../domain/stream/state.ts';
import { topicId } from '../../../domain/stream/streamConfiguration.ts';
import type { Position } from '../../../stores/eventStore.ts';
import type { Manifest, Topics } from '../../../stores/topics.ts';
import { inUse, stillUploading } from '../idempotency.ts';
import { hashOfSaid, isComparable, otherBody } from '../sameBody.ts';

export interface CompletionDeps extends UploadDeps {
  readonly topics: Topics;
  readonly resumableUploads: ResumableUploads;
}

/**
 * Makes the bytes of a resumable upload durable and creates its stream, or compares them with those of its earlier stream. Repeatable. An upload that is
 * refused is discarded; one whose store is away can be completed later.
 */
export const completeResumable = async (
  deps: CompletionDeps,
  upload: ResumableUpload,
  context: AppendContext,
): Promise<Position | null> => {
  const { log, resumableUploads, topics } = deps;
  const { plan, streamId, topic } = upload;
  const manifest = await topics.seal(topic, { streamId });
  const earlier = await loadStream(log, streamId);
  if (earlier?.upload.state === 'open') throw stillUploading();
  try {
    if (earlier) {
      if (topicId(earlier.stream.configuration.dataSource.topic) !== topic) checkRepeated(earlier, upload, manifest);
      await resumableUploads.discard(upload);
      return await log.head();
    }
    if (!plan) throw notFound('stream');
    const { position } = await beginUpload(deps, plan, context, { topic, manifest });
    await resumableUploads.forget(upload);
    return position;
  } catch (error) {
    // Limits and stores may have room later.
    if (!(error instanceof Problem) || error.statusCode >= 500 || error.statusCode === 429) throw error;
    await resumableUploads.discard(upload);
    throw refused(error);
  }
};

/** 422: clients of tus ask for the offset after a 409 and continue. */
const refused = ({ internalErrorName, message, statusCode }: Problem): Problem =>
  new Problem(internalErrorName, message, { statusCode: statusCode === 409 ? 422 : statusCode });

/** Throws 409 unless another upload with the same key, parameters and bytes has created the stream. */
const checkRepeated = (earlier: StreamAggregate, { owner, fingerprint }: ResumableUpload, { sha256 }: Manifest): void => {
  const { idempotency, stream, upload } = earlier;
  if (fingerprint === null || stream.creatorId !== owner || idempotency?.fingerprint !== fingerprint) throw inUse();
  if (upload.state === 'failed' && !earlier.canceled) throw conflict('Another upload with this Idempotency-Key broke off. Upload again.');
  if (isComparable(earlier) && (idempotency.body !== hashOfSaid(null) || upload.sha256 !== sha256)) throw otherBody();
};
