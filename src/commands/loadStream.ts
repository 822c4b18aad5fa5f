import { type StreamEvent, streamEventStream } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, handle, load, loadWith } from './handle.ts';

/** The current state from the log; `null` if the stream never existed. Rejects with a `Problem` 503 if the log cannot be read. */
export const loadStream = (log: EventLog, streamId: string): Promise<StreamAggregate | null> =>
  load(log, streamEventStream(streamId), streamDecider);

/** The state that includes an event of the stream, or a later one. For policies, which handle the later events too. */
export const loadStreamWith = (log: EventLog, event: Pick<RecordedEvent, 'eventStream' | 'revision'>): Promise<StreamAggregate | null> =>
  loadWith(log, event, streamDecider);

/** Loads a stream, decides, and appends the events, which have the stream's owner as subject. */
export const decideStream = async (
  deps: CommandDeps,
  streamId: string,
  decide: (stream: StreamAggregate | null) => readonly StreamEvent[],
  context: AppendContext,
): Promise<{ state: StreamAggregate | null; position: Position | null }> =>
  handle(deps, {
    eventStream: streamEventStream(streamId),
    decider: streamDecider,
    decide,
    context: (stream) => ({ ...context, subject: stream?.stream.creatorId ?? context.subject }),
  });
