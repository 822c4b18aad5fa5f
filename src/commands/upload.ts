import { limitReached, notFound, Problem } from '../domain/problem.ts';
import { rateLimitHeaders } from '../domain/rateLimit.ts';
import type { UploadFailure, UsedByRuns } from '../domain/stream/decisions.ts';
import * as decide from '../domain/stream/decisions.ts';
import { type StreamEvent, streamEventStream } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../domain/stream/state.ts';
import type { ChainLink, DynamicWebhook, StreamConfiguration } from '../domain/stream/streamConfiguration.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import { takeUploadKey, uploadKeyDecider, uploadKeyEventStream } from '../domain/stream/uploadKey.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { Manifest, WholeTopic } from '../stores/topics.ts';
import { type JoiningDeps, joinStream, withdrawStream } from './groups.ts';
import { type AppendContext, type CommandDeps, handle } from './handle.ts';
import { handleStream, loadStream } from './loadStream.ts';
import type { RunningStreams } from './openStreams/openStreams.ts';
import { reservePlace } from './openStreams/places.ts';
import { rememberCorrelation } from './streamCorrelation.ts';

/** An upload that passed all checks: the content of `StreamCreated`. */
export interface UploadPlan {
  readonly streamId: string;
  /** The server generated the id for this upload, so it cannot be in use. */
  readonly idGenerated?: boolean;
  readonly name: string;
  readonly labels: readonly string[];
  /** `null` if the upload came without one. */
  readonly fileName: string | null;
  /** The stream's own id if it gets a group of its own. */
  readonly groupId: string;
  /** Subject of the caller: creator of the stream, and of the group if it is new. */
  readonly owner: string;
  readonly templateVersion: number;
  readonly persist: boolean;
  /** How long the data are kept after the end; 0: until they are deleted. Absent for ephemeral streams. */
  readonly keepSeconds?: number;
  readonly configuration: StreamConfiguration;
  readonly chain: ChainLink[];
  readonly webhooks: DynamicWebhook[];
  /** For an upload with an `Idempotency-Key`: `keyId` identifies the key of its owner. */
  readonly idempotency: { keyId: string; fingerprint: string; attempt: number; body?: string } | null;
}

export interface UploadRecorded {
  readonly stream: Stream;
  /** `null` if nothing had to be appended. */
  readonly position: Position | null;
  readonly state: StreamAggregate;
}

export interface UploadDeps extends JoiningDeps {
  readonly keys: Pick<Keys, 'subjectKey'>;
  readonly runningStreams: RunningStreams;
}

/** 429: the user already runs as many streams as the limit allows. */
export const tooManyStreams = ({ limit }: Pick<RunningStreams, 'limit'>): Problem =>
  limitReached('You have too many running streams. Wait until one has finished, or cancel one.', 5, {
    headers: streamLimitHeaders(limit, 0),
  });

/** 401: the credential was still valid when the request arrived. */
const erasedMeanwhile = (): Problem => new Problem('GENERAL_AUTHENTICATION_ERROR', 'This credential is no longer valid.');

/** How many more streams the user may run. */
export const streamLimitHeaders = (quota: number, remaining: number): Readonly<Record<string, string>> =>
  rateLimitHeaders({ name: 'concurrent-streams', quota, windowSeconds: null, remaining, resetSeconds: null });

const recorded = ({ state, position }: { state: StreamAggregate | null; position: Position | null }): UploadRecorded => {
  if (!state) throw notFound('stream');
  return { stream: state.stream, position, state };
};

/** A stream whose ids the server drew has its group to itself. Any other id is made unique by the event stream of its group. */
const hasOwnGroup = ({ idGenerated, idempotency, groupId, streamId }: UploadPlan): boolean =>
  idGenerated === true && idempotency === null && groupId === streamId;

const createdData = (plan: UploadPlan): Parameters<typeof decide.createStream>[1] => {
  const { webhooks: _, idGenerated: __, owner, idempotency, labels, fileName, ...facts } = plan;
  return {
    ...facts,
    ...(labels.length > 0 && { labels: [...labels] }),
    creatorId: owner,
    groupCreatorId: owner,
    idempotency: idempotency && withoutKey(idempotency),
    ...(fileName !== null && { fileName }),
    ...(hasOwnGroup(plan) && { ownGroup: true }),
  };
};

const withoutKey = ({ keyId: _, ...recorded }: NonNullable<UploadPlan['idempotency']>) => recorded;

const create = async (
  deps: CommandDeps,
  plan: UploadPlan,
  context: AppendContext,
  topic: WholeTopic | undefined,
): Promise<UploadRecorded> => {
  const data = createdData(plan);
  const handled = await handle<StreamAggregate | null, StreamEvent>(deps, {
    eventStream: streamEventStream(plan.streamId),
    decider: streamDecider,
    decide: (state) => (topic ? decide.createWithUpload(state, data, endOf(topic.manifest)) : decide.createStream(state, data)),
    context,
    expectNew: true,
    ...(topic && { topic }),
  });
  rememberCorrelation(deps.log, plan.streamId, context.correlationId);
  return recorded(handled);
};

const endOf = ({ bytes, frames, sha256 }: Manifest) => ({ bytes, frames, sha256 });

/** The key is taken before the stream: of two uploads with one key and different ids, only one is created. */
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

/** The outcome is unknown. */
const unclear = (error: unknown): boolean => error instanceof Problem && error.statusCode === 503;

/** The stream was not created: leaves its group, unless another upload of the same id has created it there meanwhile. */
const leaveGroup = async (deps: UploadDeps, { streamId, groupId }: UploadPlan, context: AppendContext): Promise<void> => {
  const other = await loadStream(deps.log, streamId);
  if (other?.stream.groupId !== groupId) await withdrawStream(deps, { groupId, streamId }, context);
};

/**
 * Creates the stream at the first byte of its data: reserves a place of the owner, joins the group, takes the idempotency key, appends `StreamCreated`.
 * With `whole`, all of its data, appends the end of the upload too.
 * Rejects with a `Problem` and leaves nothing behind: 409 for an id in use, an expired group or a key with other parameters, 404 for another
 * owner's group, 429 above a limit, 401 for an owner who was erased since the request arrived. Rejects with 503 if the log is away; then the
 * stream may or may not have been created.
 */
export const beginUpload = async (deps: UploadDeps, plan: UploadPlan, by: AppendContext, whole?: WholeTopic): Promise<UploadRecorded> => {
  const { streamId, groupId, owner, webhooks } = plan;
  const context = { ...by, subject: owner };
  if ((await deps.keys.subjectKey(owner, { create: true })) === null) throw erasedMeanwhile();
  if (!plan.idGenerated) decide.createStream(await loadStream(deps.log, streamId), createdData(plan));
  const release = await reservePlace(deps, owner, streamId);
  if (!release) throw tooManyStreams(deps.runningStreams);
  let joined = false;
  try {
    if (!hasOwnGroup(plan)) {
      await joinStream(deps, { groupId, streamId, subject: owner, webhooks }, context, groupId === streamId);
      joined = true;
    }
    if (plan.idempotency) await takeKey(deps, plan.idempotency, context);
    return await create(deps, plan, context, whole);
  } catch (error) {
    // The groups policy clears up a join whose stream never came, with its place.
    if (joined && unclear(error)) throw error;
    if (joined) await leaveGroup(deps, plan, context);
    // Another upload of the same id at the same moment keeps the place. If a lone stream was created after all, the policy of open streams gives it a place again.
    if (plan.idGenerated || !(await loadStream(deps.log, streamId))) await release();
    throw error;
  }
};

/** Completes the upload when all bytes are synced. Rejects with a `Problem`: 409 if the stream was canceled or its upload failed meanwhile. */
export const completeUpload = async (
  deps: CommandDeps,
  { streamId, bytes, frames, sha256 }: { streamId: string; bytes: number; frames: number; sha256: string },
  context: AppendContext,
): Promise<UploadRecorded> =>
  recorded(await handleStream(deps, streamId, (state) => decide.completeUpload(state, { bytes, frames, sha256 }), context));

/** Fails the upload. Appends nothing if it has already ended. `used`: what the aborted runs have used. */
export const failUpload = async (
  deps: CommandDeps,
  { streamId, used, ...failure }: UploadFailure & { readonly streamId: string; readonly used?: UsedByRuns },
  context: AppendContext,
): Promise<UploadRecorded> => recorded(await handleStream(deps, streamId, (state) => decide.failUpload(state, failure, used), context));
