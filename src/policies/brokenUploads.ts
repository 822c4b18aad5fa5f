import type { Slots } from '../commands/slots.ts';
import { failUpload } from '../commands/upload.ts';
import { Problem } from '../domain/problem.ts';
import type { StreamEvent } from '../domain/stream.ts';
import type { Documents } from '../stores/documents.ts';
import type { EventLog } from '../stores/eventLog.ts';
import { consumerCheckpoint } from '../stores/runConsumer.ts';
import { COMPLETION } from './completion.ts';

export interface BrokenUploadsDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly slots: Slots;
}

const REASON = 'The node that took the upload stopped';
const UPLOAD_TYPES = ['StreamCreated', 'UploadCompleted', 'UploadFailed', 'StreamCanceled'] satisfies StreamEvent['type'][];
const FAILED_TOGETHER = 32;

/**
 * Gives up every upload that is open in the log: for the start of the embedded form, when no node is left that could be taking one, before
 * anything is served. A stream that runs has a slot (those that the completion policy has seen) or was created after that policy's
 * checkpoint, so that little of the log is read. Answers with how many were open. Rejects when a store is away.
 */
export const failBrokenUploads = async (deps: BrokenUploadsDeps): Promise<number> => {
  const candidates = await running(deps);
  let failed = 0;
  for (let n = 0; n < candidates.length; n += FAILED_TOGETHER) {
    const given = await Promise.all(candidates.slice(n, n + FAILED_TOGETHER).map((streamId) => giveUp(deps, streamId)));
    failed += given.filter(Boolean).length;
  }
  return failed;
};

const running = async ({ log, documents, slots }: BrokenUploadsDeps): Promise<string[]> => {
  const after = (await documents.readCheckpoint(consumerCheckpoint(COMPLETION)))?.position ?? null;
  const streams = new Set((await slots.list()).map(({ streamId }) => streamId));
  const reading = new AbortController();
  for await (const item of log.subscribe({ after, filter: { types: UPLOAD_TYPES }, signal: reading.signal })) {
    if (item.kind === 'caughtUp') break;
    const streamId = item.event.eventStream.slice('stream-'.length);
    if (item.event.type === 'StreamCreated') streams.add(streamId);
    else streams.delete(streamId);
  }
  reading.abort();
  return [...streams];
};

const giveUp = async ({ log }: BrokenUploadsDeps, streamId: string): Promise<boolean> => {
  const context = { subject: '', actor: 'policy:brokenUploads', correlationId: streamId, causationId: streamId };
  try {
    const { position } = await failUpload({ log }, { streamId, reason: REASON }, context);
    return position !== null;
  } catch (error) {
    // A slot whose stream never came.
    if (error instanceof Problem && error.statusCode === 404) return false;
    throw error;
  }
};
