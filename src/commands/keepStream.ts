import type { Clock } from '../clock.ts';
import type { Caller } from '../domain/credentials/caller.ts';
import { notFound } from '../domain/problem.ts';
import { keepStream as keep, type RetentionLimits } from '../domain/stream/retention.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { decideStream } from './loadStream.ts';

export interface KeepDeps extends CommandDeps {
  readonly clock: Clock;
  readonly retention: RetentionLimits;
}

/**
 * Keeps the data of the caller's stream until a later time, milliseconds since the epoch. Rejects with a `Problem`: 404 for an unknown or another's
 * stream, 409 for an expired one, 400 for a time that is not later or beyond the limit.
 */
export const keepStream = async (
  { clock, retention, ...deps }: KeepDeps,
  { streamId, until, caller }: { streamId: string; until: number; caller: Caller },
  context: AppendContext,
): Promise<{ stream: StreamAggregate; position: Position | null }> => {
  const { state, position } = await decideStream(
    deps,
    streamId,
    (stream) => {
      if (stream?.stream.creatorId !== caller.subject) throw notFound('stream');
      return keep(stream, { until, now: clock.now(), limits: retention });
    },
    context,
  );
  if (!state) throw notFound('stream');
  return { stream: state, position };
};
