import { randomUUID } from 'node:crypto';
import type { Caller } from '../../domain/credentials/caller.ts';
import { earlierOf } from '../../domain/idempotency.ts';
import { conflict, notFound, Problem } from '../../domain/problem.ts';
import * as decide from '../../domain/stream/rerunStream.ts';
import { checkRerun, dataGone, noOutput, type Rerun, rerunStages } from '../../domain/stream/rerunStream.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import type { Json } from '../../json.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Topics } from '../../stores/topics.ts';
import type { AppendContext, CommandDeps } from '../handle.ts';
import { handleStream, loadStream } from '../loadStream.ts';
import { holderOf, type RunningStreams } from '../openStreams/openStreams.ts';
import { reservePlace } from '../openStreams/places.ts';
import { rememberCorrelation } from '../streamCorrelation.ts';
import { tooManyStreams } from '../upload.ts';
import { idempotencyOf } from './idempotency.ts';
import { type PatchingDeps, patchedStages } from './patchedStages.ts';

export interface RerunDeps extends CommandDeps, PatchingDeps {
  readonly topics: Pick<Topics, 'manifest'>;
  readonly runningStreams: RunningStreams;
}

/** A request for a rerun. `patches`: alias or path to value, as in an upload. */
export interface RerunRequest {
  readonly streamId: string;
  readonly caller: Pick<Caller, 'subject'>;
  readonly from: string | null;
  readonly patches: Readonly<Record<string, Json>>;
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
}

export interface RerunAccepted {
  readonly streamId: string;
  readonly attempt: number;
  /** `null` if an earlier request with the same key made the attempt. */
  readonly position: Position | null;
}

/**
 * Runs a stream again, from a stage or from its start, as its next attempt. Rejects with a `Problem`: 404 for an unknown or another's stream; 400
 * for an unknown stage or an invalid patch; 409 while it runs, or if a stage before `from` has no complete output; 410 if its data are deleted; 429
 * above the limit of running streams; 503 without an engine for a stage. The same `Idempotency-Key` with the same request returns the same attempt.
 */
export const rerunStream = async (deps: RerunDeps, request: RerunRequest, context: AppendContext): Promise<RerunAccepted> => {
  const { streamId, caller, from, patches, reason } = request;
  const loaded = await loadStream(deps.log, streamId);
  if (loaded?.stream.creatorId !== caller.subject) throw notFound('stream');
  const idempotency = idempotencyOf(caller.subject, request.idempotencyKey, { from, patches, reason });
  const earlier = earlierOf(loaded.attempts, idempotency);
  if (earlier) return { streamId, attempt: earlier.attempt, position: null };
  checkRerun(loaded, from);
  const stages = await patchedStages(deps, loaded, rerunStages(loaded, from), patches);
  await checkData(deps, loaded, from);
  const topicIds = new Map([...stages.keys()].map((id) => [id, randomUUID()]));
  const rerun: Rerun = {
    from,
    reason,
    idempotency,
    propertiesOf: (processorId) => stages.get(processorId) ?? {},
    topicIdOf: (processorId) => topicIds.get(processorId) ?? randomUUID(),
  };
  const attempt = loaded.stream.attempt + 1;
  const release = await reservePlace(deps, caller.subject, holderOf(streamId, attempt));
  if (!release) throw tooManyStreams(deps.runningStreams);
  let free = true;
  try {
    const { state, position } = await handleStream(
      deps,
      streamId,
      // The place is held for this attempt only.
      (stream) => (stream?.stream.attempt === loaded.stream.attempt ? decide.rerunStream(stream, rerun) : overtaken(stream, idempotency)),
      context,
    );
    free = position === null;
    if (position !== null) rememberCorrelation(deps.log, streamId, context.correlationId, attempt);
    return { streamId, attempt: (state && earlierOf(state.attempts, idempotency)?.attempt) ?? attempt, position };
  } catch (error) {
    // After a 503 the attempt may have started. Its place stays, and the policy of open streams decides.
    free = !(error instanceof Problem && error.statusCode === 503);
    throw error;
  } finally {
    if (free) await release();
  }
};

/** Another rerun started meanwhile: with the same key, or one that is running now. */
const overtaken = (stream: StreamAggregate | null, idempotency: Rerun['idempotency']): [] => {
  if (!stream) throw notFound('stream');
  if (earlierOf(stream.attempts, idempotency)) return [];
  throw conflict('Another rerun of this stream began at the same time. Wait until it has ended.');
};

/** Throws 410 if the uploaded bytes are deleted, 409 if the output that a stage starts from is not complete. */
export const checkData = async (
  { topics }: { readonly topics: Pick<Topics, 'manifest'> },
  aggregate: StreamAggregate,
  from: string | null,
): Promise<void> => {
  const { stream, chain } = aggregate;
  const stages = rerunStages(aggregate, from);
  for (const { processorId, previousProcessorId } of chain) {
    if (!stages.has(processorId) || (previousProcessorId !== null && stages.has(previousProcessorId))) continue;
    const before = stream.configuration.processors.find(({ id }) => id === previousProcessorId);
    const topic = before?.destination.topic ?? stream.configuration.dataSource.topic;
    if (await topics.manifest(topicId(topic))) continue;
    if (before) throw noOutput(before.id);
    throw dataGone('The uploaded bytes of this stream have been deleted. Upload them again.');
  }
};
