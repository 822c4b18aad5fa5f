import * as decide from '../domain/stream/decisions.ts';
import type { Position } from '../stores/eventStore.ts';
import { changeOwnStream, type StreamChanged, type StreamRequest } from './changeOwnStream.ts';
import type { AppendContext } from './handle.ts';
import { handleStream } from './loadStream.ts';
import { type MeasureDeps, measureRuns } from './measureRuns.ts';

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
