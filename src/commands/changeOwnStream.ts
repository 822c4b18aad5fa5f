import type { Clock } from '../clock.ts';
import { type Caller, hasRole } from '../domain/credentials/caller.ts';
import type { Role } from '../domain/credentials/events.ts';
import { notFound } from '../domain/problem.ts';
import * as decide from '../domain/stream/decisions.ts';
import type { StreamEvent } from '../domain/stream/events.ts';
import { changedLabels } from '../domain/stream/labels.ts';
import * as retention from '../domain/stream/retention.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { handleStream, loadStream } from './loadStream.ts';
import { type MeasureDeps, measureRuns } from './measureRuns.ts';

export interface StreamRequest {
  readonly streamId: string;
  readonly caller: Caller;
}

export interface StreamChanged {
  readonly aggregate: StreamAggregate;
  /** `null` if there was nothing to append. */
  readonly position: Position | null;
}

/** Throws 404 for an unknown stream, and for another user's unless the caller has one of the roles. */
const requireOwn = (aggregate: StreamAggregate | null, caller: Caller, roles: readonly Role[]): StreamAggregate => {
  if (!aggregate || (aggregate.stream.creatorId !== caller.subject && !hasRole(caller, ...roles))) throw notFound('stream');
  return aggregate;
};

/** The current state from the log, for the owner of the stream or an admin. Rejects with a `Problem` 404 for others, and for an unknown stream. */
export const loadOwnStream = async (log: EventLog, { streamId, caller }: StreamRequest): Promise<StreamAggregate> =>
  requireOwn(await loadStream(log, streamId), caller, ['admin']);

/**
 * Changes a stream for its owner, or for a caller with one of the `roles`. Rejects with a `Problem` 404 for any other caller, and with whatever `decision`
 * throws.
 */
const changeOwnStream = async (
  deps: CommandDeps,
  { streamId, caller, roles = [] }: StreamRequest & { readonly roles?: readonly Role[] },
  decision: (aggregate: StreamAggregate) => readonly StreamEvent[],
  context: AppendContext,
): Promise<StreamChanged> => {
  const { state, position } = await handleStream(deps, streamId, (aggregate) => decision(requireOwn(aggregate, caller, roles)), context);
  return { aggregate: requireOwn(state, caller, roles), position };
};

export interface KeepDeps extends CommandDeps {
  readonly clock: Clock;
  readonly retention: retention.RetentionLimits;
}

/**
 * Keeps the data of the caller's stream until a time, milliseconds since the epoch; `null` until someone deletes them. Rejects with a `Problem`: 404 for
 * an unknown or another's stream, 409 for an expired one, 400 for a time that has passed or is beyond the bound.
 */
export const keepStream = (
  { clock, retention: limits, ...deps }: KeepDeps,
  { until, ...request }: StreamRequest & { readonly until: number | null },
  context: AppendContext,
): Promise<StreamChanged> =>
  changeOwnStream(deps, request, (aggregate) => retention.keepStream(aggregate, { until, now: clock.now(), limits }), context);

/** Renames or labels a stream in any state, for its owner or an admin. Appends nothing if nothing changes. */
export const describeStream = (
  deps: CommandDeps,
  { streamId, caller, ...description }: StreamRequest & decide.StreamDescription,
  context: AppendContext,
): Promise<StreamChanged> =>
  changeOwnStream(deps, { streamId, caller, roles: ['admin'] }, (aggregate) => decide.describeStream(aggregate, description), context);

/** Adds and removes labels of the caller's stream. Rejects with a `Problem` 400 if it would have more than 20. */
export const relabelStream = (
  deps: CommandDeps,
  { add, remove, ...request }: StreamRequest & { readonly add: readonly string[]; readonly remove: readonly string[] },
  context: AppendContext,
): Promise<StreamChanged> =>
  changeOwnStream(
    deps,
    request,
    (aggregate) => decide.describeStream(aggregate, { labels: changedLabels(aggregate.stream.labels, add, remove) }),
    context,
  );

/**
 * Cancels a stream, for its owner, a gateway or an admin. Appends nothing if it had already FAILED. Rejects with a `Problem`: 404 for an unknown or
 * another's stream, 409 for a COMPLETED or EXPIRED one.
 */
export const cancelStream = async (deps: MeasureDeps, request: StreamRequest, context: AppendContext): Promise<StreamChanged> => {
  const used = await measureRuns(deps, request.streamId);
  const roles = ['gateway', 'admin'] as const;
  return changeOwnStream(deps, { ...request, roles }, (aggregate) => decide.cancelStream(aggregate, used), context);
};

/** Cancels a stream before another change; `null` if it has already ended. */
export const cancelIfRunning = async (deps: MeasureDeps, streamId: string, context: AppendContext): Promise<Position | null> => {
  const used = await measureRuns(deps, streamId);
  const cancelRunning: Parameters<typeof handleStream>[2] = (aggregate) =>
    aggregate?.stream.state === 'READY' ? decide.cancelStream(aggregate, used) : [];
  return (await handleStream(deps, streamId, cancelRunning, context)).position;
};
