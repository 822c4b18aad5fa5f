import { randomUUID } from 'node:crypto';
import { earlierOf } from '../../domain/idempotency.ts';
import type { Matches } from '../../domain/reruns/decisions.ts';
import * as decide from '../../domain/reruns/decisions.ts';
import { rerunsEventStream } from '../../domain/reruns/events.ts';
import { type BulkRerun, type BulkRerunFilter, type RerunsState, rerunsDecider } from '../../domain/reruns/state.ts';
import type { JsonObject } from '../../json.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, handle, load } from '../handle.ts';
import { idempotencyOf } from './idempotency.ts';

export interface BulkRerunDeps extends CommandDeps {
  /** The user's ended streams that match a filter. */
  readonly match: (subject: string, filter: BulkRerunFilter) => Promise<Matches>;
}

/** A request for a bulk rerun. `patches`: alias or path to value. */
export interface BulkRerunCall {
  readonly filter: BulkRerunFilter;
  readonly from: string | null;
  readonly patches: JsonObject;
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
}

export const loadReruns = (log: EventLog, subject: string): Promise<RerunsState> => load(log, rerunsEventStream(subject), rerunsDecider);

/**
 * Queues a rerun for each of the caller's streams that match the filter. Queued reruns survive restarts once it resolves. The same
 * `Idempotency-Key` with the same request returns the same bulk rerun. Rejects with a `Problem`: 409 for a key used with another body, 429 for too
 * many bulk reruns.
 */
export const requestReruns = async (deps: BulkRerunDeps, call: BulkRerunCall, context: AppendContext): Promise<BulkRerun> => {
  const { subject, actor, correlationId } = context;
  const { filter, from, patches, reason } = call;
  const idempotency = idempotencyOf(subject, call.idempotencyKey, { filter: { ...filter }, from, patches, reason });
  const earlier = earlierOf((await loadReruns(deps.log, subject)).requests, idempotency);
  if (earlier) return earlier;
  const matches = await deps.match(subject, filter);
  const requestId = randomUUID();
  const request = { ...{ requestId, filter, from, patches, reason, idempotency }, requestedBy: actor, correlationId };
  const { state } = await handle(deps, {
    eventStream: rerunsEventStream(subject),
    decider: rerunsDecider,
    context,
    decide: (reruns: RerunsState) => decide.requestReruns(reruns, request, matches),
  });
  const made = state.requests.find((one) => one.requestId === requestId) ?? earlierOf(state.requests, idempotency);
  if (!made) throw new Error('the bulk rerun that was appended is not in the state');
  return made;
};

/** Stops a bulk rerun: waiting streams are not started. Rejects with 404 for an unknown one. */
export const cancelBulkRerun = async (deps: CommandDeps, requestId: string, context: AppendContext): Promise<void> => {
  await handle(deps, {
    eventStream: rerunsEventStream(context.subject),
    decider: rerunsDecider,
    context,
    decide: (reruns: RerunsState) => decide.cancelBulkRerun(reruns, requestId),
  });
};
