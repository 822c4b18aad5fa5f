import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problem.ts';
import type { EngineEvent, RunDecision } from '../domain/stream/decisions.ts';
import * as decide from '../domain/stream/decisions.ts';
import type { StreamData, StreamEvent } from '../domain/stream/events.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { WholeTopic } from '../stores/topics.ts';
import { retrying } from '../supervision/retrying.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { handleStream } from './loadStream.ts';

export interface RunDeps extends CommandDeps {
  readonly clock: Clock;
}

type RunData<T extends StreamEvent['type']> = StreamData<T> & {
  streamId: string;
  /** Stops the retries only: rejects with its reason. */
  signal?: AbortSignal;
};

export type RunRecorded =
  /** Recorded by this call or an earlier one. `position` is `null` for an earlier one. */
  | { readonly outcome: 'recorded'; readonly state: StreamAggregate; readonly position: Position | null }
  /** A newer attempt, a cancellation or the stream's end came first: drop the run's output. `null` if the stream does not exist. */
  | { readonly outcome: 'stale'; readonly state: StreamAggregate | null };

/** Worth another try: the log is away, or too many nodes write at once. */
const passes = (error: unknown): boolean =>
  error instanceof Problem && (error.statusCode === 503 || error.internalErrorName === 'GENERAL_CONFLICT_ERROR');

const recordOnce = async (
  deps: RunDeps,
  streamId: string,
  decideRun: (stream: StreamAggregate | null) => RunDecision,
  context: AppendContext,
  output?: WholeTopic,
): Promise<RunRecorded> => {
  let stale = false;
  const decideOnce = (stream: StreamAggregate | null): readonly StreamEvent[] => {
    const decision = decideRun(stream);
    stale = decision === 'stale';
    return decision === 'stale' ? [] : decision;
  };
  const { state, position } = await handleStream(deps, streamId, decideOnce, context, output);
  return stale || !state ? { outcome: 'stale', state } : { outcome: 'recorded', state, position };
};

type RunEvent = 'ProcessorStarted' | 'ProcessorCompleted' | 'ProcessorFailed';

/** Retried until stored. `output` is stored with the events, or before them. */
const recorder =
  <T extends RunEvent>(decideRun: (stream: StreamAggregate | null, data: StreamData<T>) => RunDecision) =>
  (deps: RunDeps, { streamId, signal, ...rest }: RunData<T>, context: AppendContext, output?: WholeTopic): Promise<RunRecorded> => {
    // Safe cast: the compiler does not see that nothing else was added.
    const data = rest as unknown as StreamData<T>;
    const once = () => recordOnce(deps, streamId, (stream) => decideRun(stream, data), context, output);
    return retrying(once, { clock: deps.clock, signal, retryIf: passes });
  };

/** Starts a run. `attempt` must be higher than the last one. */
export const startRun = recorder<'ProcessorStarted'>(decide.startRun);

/** Completes a run. The end of the stream is stored with the last run. */
export const completeRun = recorder<'ProcessorCompleted'>(decide.completeRun);

/** Start and end of a run in one append, with the end of the stream if it follows. */
export const recordShortRun = recorder<'ProcessorCompleted'>(decide.shortRun);

/** Fails a run for good. The stages after the processor are closed. */
export const failRun = recorder<'ProcessorFailed'>(decide.failRun);

/** What happens between a run and its engine. Tried once: what is not stored is only not shown. Rejects with a `Problem`. */
export const recordEngine = async (deps: RunDeps, streamId: string, event: EngineEvent, context: AppendContext): Promise<void> =>
  void (await handleStream(deps, streamId, (stream) => decide.recordEngine(stream, event), context));
