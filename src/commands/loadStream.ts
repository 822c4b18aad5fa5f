import { type StreamEvent, streamEventStream } from '../domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../domain/stream/state.ts';
import type { Position, TopicBytes } from '../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, forOwner, handle, load, loadWith, rememberedAt } from './handle.ts';

/** The current state from the log; `null` if the stream never existed. Rejects with a `Problem` 503 if the log cannot be read. */
export const loadStream = (log: EventLog, streamId: string): Promise<StreamAggregate | null> =>
  load(log, streamEventStream(streamId), streamDecider);

/** The state that includes an event of the stream, or a later one. For policies, which handle the later events too. */
export const loadStreamWith = (log: EventLog, event: Pick<RecordedEvent, 'eventStream' | 'revision'>): Promise<StreamAggregate | null> =>
  loadWith(log, event, streamDecider);

/** The remembered state of the stream if it ends with this event, otherwise `null`. */
export const rememberedStreamAt = (log: EventLog, event: Pick<RecordedEvent, 'eventStream' | 'revision'>): StreamAggregate | null =>
  rememberedAt(log, event, streamDecider) ?? null;

/**
 * The command cycle (`handle`) of a stream. The events have the stream's owner as subject, even if another caller, such as an administrator, gives the
 * command. `topic` is that of `Command`.
 */
export const handleStream = async (
  deps: CommandDeps,
  streamId: string,
  decide: (stream: StreamAggregate | null) => readonly StreamEvent[],
  context: AppendContext,
  topic?: TopicBytes,
): Promise<{ state: StreamAggregate | null; position: Position | null }> =>
  handle(deps, {
    eventStream: streamEventStream(streamId),
    decider: streamDecider,
    decide,
    context: (stream) => forOwner(context, stream?.stream.creatorId),
    ...(topic && { topic }),
  });
