import { notFound, Problem } from '../domain/problem.ts';
import { rateLimitHeaders } from '../domain/rateLimit.ts';
import {
  completeUpload as complete,
  createStream,
  createWithUpload,
  failUpload as fail,
  type UsedByRuns,
} from '../domain/stream/decisions.ts';
import { streamEventStream } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider, streamResource } from '../domain/stream/state.ts';
import type { ChainLink, DynamicWebhook, Stream, StreamConfiguration } from '../domain/stream/streamConfiguration.ts';
import { takeUploadKey, uploadKeyDecider, uploadKeyEventStream } from '../domain/stream/uploadKey.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/keys.ts';
import type { WholeTopic } from '../stores/topics.ts';
import { takeSlot } from './endedSlots.ts';
import { joinCommand, joinStream, withdrawStream } from './groups.ts';
import { type AppendContext, type CommandDeps, handle, handleTogether, storesTogether } from './handle.ts';
import { decideStream, loadStream } from './loadStream.ts';
import type { Slots } from './slots.ts';
import { rememberCorrelation } from './streamCorrelation.ts';

/** An upload after all its checks: everything that `StreamCreated` holds. */
export interface UploadPlan {
  readonly streamId: string;
  /** The id was drawn for it: nobody can have used it. */
  readonly drawn?: boolean;
  readonly name: string;
  /** The stream's own id for a group of its own. */
  readonly groupId: string;
  /** Subject of the caller: creator of the stream, and of the group when it is new. */
  readonly owner: string;
  readonly templateVersion: number;
  readonly persist: boolean;
  readonly configuration: StreamConfiguration;
  readonly chain: ChainLink[];
  readonly webhooks: DynamicWebhook[];
  /** Of an upload under an `Idempotency-Key`: `keyId` names the key of its owner. */
  readonly idempotency: { keyId: string; fingerprint: string; attempt: number } | null;
}

export interface UploadRecorded {
  readonly stream: Stream;
  /** `null` when nothing had to be appended. */
  readonly position: Position | null;
  readonly state: StreamAggregate;
}

export interface UploadDeps extends CommandDeps {
  readonly keys: Pick<Keys, 'subjectKey'>;
  readonly slots: Slots;
}

/** 429: the user runs as many streams as may run at once. */
export const tooManyStreams = ({ limit }: Slots): Problem =>
  new Problem('STREAM_USAGE_LIMIT_REACHED', 'You have too many running streams. Wait until one has finished, or cancel one.', {
    headers: { 'Retry-After': '5', ...streamLimitHeaders(limit, 0) },
  });

/** 401: the credential was good when the request came. */
const erasedMeanwhile = (): Problem => new Problem('GENERAL_AUTHENTICATION_ERROR', 'This credential is no longer valid.');

/** How many more streams the user may run at once. */
export const streamLimitHeaders = (quota: number, remaining: number): Readonly<Record<string, string>> =>
  rateLimitHeaders({ name: 'concurrent-streams', quota, windowSeconds: null, remaining, resetSeconds: null });

const recorded = ({ state, position }: { state: StreamAggregate | null; position: Position | null }): UploadRecorded => {
  if (!state) throw notFound('stream');
  return { stream: streamResource(state), position, state };
};

const createdData = ({ webhooks: _, drawn: __, owner, idempotency, ...facts }: UploadPlan): Parameters<typeof createStream>[1] => ({
  ...facts,
  creatorId: owner,
  groupCreatorId: owner,
  idempotency: idempotency && { fingerprint: idempotency.fingerprint, attempt: idempotency.attempt },
});

const create = (deps: CommandDeps, plan: UploadPlan, context: AppendContext): Promise<UploadRecorded> => {
  const data = createdData(plan);
  return handle(deps, {
    eventStream: streamEventStream(plan.streamId),
    decider: streamDecider,
    decide: (state) => createStream(state, data),
    context,
    expectNew: true,
  }).then((handled) => {
    rememberCorrelation(deps.log, plan.streamId, context.correlationId);
    return recorded(handled);
  });
};

/** The key is taken before the stream: of two uploads with one key and different ids, one is made. */
const takeKey = async (
  deps: CommandDeps,
  { keyId, fingerprint }: NonNullable<UploadPlan['idempotency']>,
  context: AppendContext,
): Promise<void> => {
  await handle(deps, {
    eventStream: uploadKeyEventStream(keyId),
    decider: uploadKeyDecider,
    decide: (taken) => takeUploadKey(taken, fingerprint),
    context,
    expectNew: true,
  });
};

/** Nobody can tell whether it was stored: what was reserved stays, and the policies settle it. */
const unclear = (error: unknown): boolean => error instanceof Problem && error.statusCode === 503;

/** The stream did not come: leaves its group again, unless another upload of the same id has made it there meanwhile. */
const leaveGroup = async (deps: UploadDeps, { streamId, groupId }: UploadPlan, context: AppendContext): Promise<void> => {
  const other = await loadStream(deps.log, streamId);
  if (other?.stream.groupId !== groupId) await withdrawStream(deps, { groupId, streamId }, context);
};

/**
 * Makes the stream at the first byte of its data: a slot of the owner's, the join of the group, the idempotency key, `StreamCreated`. Rejects with a
 * `Problem` and leaves nothing behind: 409 for an id in use, an expired group or a key with other parameters, 404 for another owner's group, 429 above the limit, 401 for an
 * owner who was erased since the request came. Rejects with 503 when
 * the log is away; whether the stream was made is unknown then.
 */
export const beginUpload = async (deps: UploadDeps, plan: UploadPlan, by: AppendContext): Promise<UploadRecorded> => {
  const { streamId, groupId, owner, webhooks } = plan;
  const context = { ...by, subject: owner };
  if ((await deps.keys.subjectKey(owner, { create: true })) === null) throw erasedMeanwhile();
  if (!plan.drawn) createStream(await loadStream(deps.log, streamId), createdData(plan));
  if (!(await takeSlot(deps, owner, streamId))) throw tooManyStreams(deps.slots);
  let joined = false;
  try {
    await joinStream(deps, { groupId, streamId, subject: owner, webhooks }, context, groupId === streamId);
    joined = true;
    if (plan.idempotency) await takeKey(deps, plan.idempotency, context);
    return await create(deps, plan, context);
  } catch (error) {
    if (!joined) await deps.slots.free(owner, streamId);
    else if (!unclear(error)) {
      await leaveGroup(deps, plan, context);
      await deps.slots.free(owner, streamId);
    }
    throw error;
  }
};

/**
 * Whether an upload that has come whole can be stored in one commit, with its bytes: its ids were drawn by the server, so nobody can have used them, and the
 * store can do it.
 */
export const isStoredAtOnce = ({ log }: CommandDeps, { drawn, idempotency, groupId, streamId }: UploadPlan): boolean =>
  drawn === true && idempotency === null && groupId === streamId && storesTogether(log);

/**
 * A whole upload in one commit: its bytes, its group, and the stream with the end of its upload. For one that `isStoredAtOnce`. Rejects as `beginUpload`
 * does, and leaves nothing behind then.
 */
export const storeUpload = async (deps: UploadDeps, plan: UploadPlan, bytes: WholeTopic, by: AppendContext): Promise<UploadRecorded> => {
  const { streamId, groupId, owner, webhooks } = plan;
  const context = { ...by, subject: owner };
  if ((await deps.keys.subjectKey(owner, { create: true })) === null) throw erasedMeanwhile();
  if (!(await takeSlot(deps, owner, streamId))) throw tooManyStreams(deps.slots);
  try {
    const { frames, bytes: size, sha256 } = bytes.manifest;
    const upload = { bytes: size, frames, sha256 };
    const data = createdData(plan);
    const stored = await handleTogether(deps, {
      first: joinCommand({ groupId, streamId, subject: owner, webhooks }, context),
      second: () => ({
        eventStream: streamEventStream(streamId),
        decider: streamDecider,
        decide: (state) => createWithUpload(state, data, upload),
        context,
        expectNew: true,
      }),
      topics: [bytes],
    });
    if (!stored?.second) throw new Problem('GENERAL_CONFLICT_ERROR', 'This stream id is already in use. Omit the id or choose another.');
    bytes.stored();
    rememberCorrelation(deps.log, streamId, context.correlationId);
    return recorded(stored.second);
  } catch (error) {
    // If it was stored all the same, the completion policy takes the slot again.
    await deps.slots.free(owner, streamId);
    throw error;
  }
};

/** All bytes are synced. Rejects with a `Problem`: 409 when the stream was cancelled or its upload given up meanwhile. */
export const completeUpload = async (
  deps: CommandDeps,
  { streamId, bytes, frames, sha256 }: { streamId: string; bytes: number; frames: number; sha256: string },
  context: AppendContext,
): Promise<UploadRecorded> => recorded(await decideStream(deps, streamId, (state) => complete(state, { bytes, frames, sha256 }), context));

/** The upload did not come to its end. Nothing is appended when it has ended already. `used`: what the runs that it cuts off have used. */
export const failUpload = async (
  deps: CommandDeps,
  { streamId, reason, used }: { streamId: string; reason: string; used?: UsedByRuns },
  context: AppendContext,
): Promise<UploadRecorded> => recorded(await decideStream(deps, streamId, (state) => fail(state, reason, used), context));
