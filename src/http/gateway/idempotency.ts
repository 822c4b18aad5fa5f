import { loadGroup } from '../../commands/groups.ts';
import { load } from '../../commands/handle.ts';
import { loadStream } from '../../commands/loadStream.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { conflict, type Problem } from '../../domain/problem.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { takeUploadKey, uploadKeyDecider, uploadKeyEventStream, uploadKeyId } from '../../domain/stream/uploadKey.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { UploadIdentity } from './planner.ts';
import { fingerprintOf, type UploadParameters } from './uploadParameters.ts';

/** A new stream's id, or the stream that an earlier try with the same key created. */
export type Identified =
  | { readonly kind: 'new'; readonly identity: UploadIdentity }
  | { readonly kind: 'done'; readonly stream: StreamAggregate };

const MAX_TRIES = 1_000;

export const inUse = (): Problem => conflict('This stream id is already in use. Omit the id or choose another.');
export const otherParameters = (): Problem => conflict('This Idempotency-Key was used with other parameters. Use a new key.');
export const stillUploading = (): Problem =>
  conflict('An upload with this Idempotency-Key is still in progress. Try again when it has ended.', { headers: { 'Retry-After': '1' } });

/** Result of an earlier try for the next one: its answer, or `null` if it failed and another may be made. Throws 409. */
const answerOf = (earlier: StreamAggregate, fingerprint: string, caller: Caller): StreamAggregate | null => {
  if (earlier.stream.creatorId !== caller.subject || !earlier.idempotency) throw inUse();
  if (earlier.idempotency.fingerprint !== fingerprint) throw otherParameters();
  if (earlier.upload.state === 'open') throw stillUploading();
  return earlier.upload.state === 'failed' && !earlier.canceled ? null : earlier;
};

/** Whether a computed id belongs to something without an idempotency key of the caller: a stream, or the group that the new stream would get. */
const isForeign = async (
  log: EventLog,
  streamId: string,
  earlier: StreamAggregate | null,
  { groupId }: UploadParameters,
  { subject }: Caller,
): Promise<boolean> => {
  if (earlier) return earlier.stream.creatorId !== subject || !earlier.idempotency;
  const group = groupId === null ? await loadGroup(log, streamId) : null;
  return group !== null && group.creatorId !== subject;
};

/**
 * Determines the id of an upload. With an `Idempotency-Key`, try n has the id `uuidv5(subject, n = 1 ? key : key#n)`, or the given one, which must
 * be the same each time: the key records its parameters. Throws 409: id in use, other parameters, first upload still running (`Retry-After`), a
 * given id whose upload failed.
 */
export const identify = async (
  log: EventLog,
  parameters: UploadParameters,
  caller: Caller,
  randomId: () => string,
): Promise<Identified> => {
  const { id, idempotencyKey: key } = parameters;
  if (key === null) {
    if (id !== null && (await loadStream(log, id))) throw inUse();
    return { kind: 'new', identity: { streamId: id ?? randomId(), idGenerated: id === null, idempotency: null } };
  }
  const fingerprint = fingerprintOf(parameters);
  const keyId = uploadKeyId(caller.subject, key);
  // Another set of parameters, including the id, is refused before anything is read.
  takeUploadKey(await load(log, uploadKeyEventStream(keyId), uploadKeyDecider), fingerprint);
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const streamId = id ?? (attempt === 1 ? keyId : uuidv5(caller.subject, `${key}#${attempt}`));
    const earlier = await loadStream(log, streamId);
    // Callers who know a subject can compute its ids and use them first: then the key continues with the next one.
    if (id === null && (await isForeign(log, streamId, earlier, parameters, caller))) continue;
    if (!earlier) return { kind: 'new', identity: { streamId, idGenerated: false, idempotency: { keyId, fingerprint, attempt } } };
    const answer = answerOf(earlier, fingerprint, caller);
    if (answer) return { kind: 'done', stream: answer };
    if (id !== null) throw conflict('The upload with this id broke off. Upload again with another id.');
  }
  throw conflict('Too many uploads with this Idempotency-Key broke off. Use another key.');
};
