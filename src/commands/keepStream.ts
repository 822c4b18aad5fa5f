import type { Clock } from '../clock.ts';
import * as decide from '../domain/stream/retention.ts';
import { changeOwnStream, type StreamChanged, type StreamRequest } from './changeOwnStream.ts';
import type { AppendContext, CommandDeps } from './handle.ts';

export interface KeepDeps extends CommandDeps {
  readonly clock: Clock;
  readonly retention: decide.RetentionLimits;
}

/**
 * Keeps the data of the caller's stream until a later time, milliseconds since the epoch. Rejects with a `Problem`: 404 for an unknown or another's
 * stream, 409 for an expired one, 400 for a time that is not later or beyond the limit.
 */
export const keepStream = (
  { clock, retention, ...deps }: KeepDeps,
  { until, ...request }: StreamRequest & { readonly until: number },
  context: AppendContext,
): Promise<StreamChanged> =>
  changeOwnStream(deps, request, (aggregate) => decide.keepStream(aggregate, { until, now: clock.now(), limits: retention }), context);
