import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problem.ts';
import {
  completeRun as completed,
  type EngineNote,
  failRun as failed,
  noteEngine as noted,
  type RunDecision,
  shortRun,
  startRun as started,
} from '../domain/stream/decisions.ts';
import { type StreamEvent, streamEventStream } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { WholeTopic } from '../stores/topics.ts';
import { retrying } from '../supervision/retrying.ts';
import { type AppendContext, type CommandDeps, handleTogether } from './handle.ts';
import { decideStream } from './loadStream.ts';

export interface RunDeps extends CommandDeps {
  readonly clock: Clock;
}

type RunData<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>['data'] & {
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

const record = (
  deps: RunDeps,
  streamId: string,
  decide: (stream: StreamAggregate | null) => RunDecision,
  context: AppendContext,
  signal?: AbortSignal,
): Promise<RunRecorded> => {
  const once = async (): Promise<RunRecorded> => {
    let stale = false;
    const decideOnce = (stream: StreamAggregate | null): readonly StreamEvent[] => {
      const decision = decide(stream);
      stale = decision === 'stale';
      return decision === 'stale' ? [] : decision;
    };
    const { state, position } = await decideStream(deps, streamId, decideOnce, context);
    return stale || !state ? { outcome: 'stale', state } : { outcome: 'recorded', state, position };
  };
  return retrying(once, { clock: deps.clock, signal, retryIf: passes });
};

/** Starts a run. Retried until stored; `attempt` must be higher than the last one. */
export const startRun = (
  deps: RunDeps,
  { streamId, signal, ...data }: RunData<'ProcessorStarted'>,
  context: AppendContext,
): Promise<RunRecorded> => record(deps, streamId, (stream) => started(stream, data), context, signal);

/** Completes a run. Retried until stored; the end of the stream is stored with the last run. */
export const completeRun = (
  deps: RunDeps,
  { streamId, signal, ...data }: RunData<'ProcessorCompleted'>,
  context: AppendContext,
): Promise<RunRecorded> => record(deps, streamId, (stream) => completed(stream, data), context, signal);

/** Start and end of a run in one append, on a store that keeps its output by itself. Repeated until it is stored. */
export const recordShortRun = (
  deps: RunDeps,
  { streamId, signal, ...data }: RunData<'ProcessorCompleted'>,
  context: AppendContext,
): Promise<RunRecorded> => record(deps, streamId, (stream) => shortRun(stream, data), context, signal);

/** Fails a run for good. Retried until stored; the stages after the processor are closed. */
export const failRun = (
  deps: RunDeps,
  { streamId, signal, ...data }: RunData<'ProcessorFailed'>,
  context: AppendContext,
): Promise<RunRecorded> => record(deps, streamId, (stream) => failed(stream, data), context, signal);

/** What happens between a run and its engine. Tried once: what is not stored is only not shown. Rejects with a `Problem`. */
export const noteEngine = async (deps: RunDeps, streamId: string, event: EngineNote, context: AppendContext): Promise<void> =>
  void (await decideStream(deps, streamId, (stream) => noted(stream, event), context));

/**
 * Start and end of a run in one commit with its output, and with the end of the stream if it follows. `null` if this is not possible now: nothing is
 * stored then, as far as is known, and start and end must be recorded one by one.
 */
export const completeShortRun = async (
  deps: RunDeps,
  { streamId, ...data }: RunData<'ProcessorCompleted'>,
  output: WholeTopic,
  context: AppendContext,
): Promise<RunRecorded | null> => {
  let stale = false;
  const decide = (loaded: StreamAggregate | null): readonly StreamEvent[] => {
    const decision = shortRun(loaded, data);
    stale = decision === 'stale';
    return decision === 'stale' ? [] : decision;
  };
  try {
    const command = { eventStream: streamEventStream(streamId), decider: streamDecider, decide, context: ownedBy(context) };
    const stored = await handleTogether(deps, command, [output]);
    if (!stored) return null;
    const { state, position } = stored;
    if (stale || !state) return { outcome: 'stale', state };
    output.stored();
    return { outcome: 'recorded', state, position };
  } catch (error) {
    if (passes(error)) return null;
    throw error;
  }
};

const ownedBy =
  (context: AppendContext) =>
  (stream: StreamAggregate | null): AppendContext => ({ ...context, subject: stream?.stream.creatorId ?? context.subject });
