import { expireStreamInGroup, finishingOf, finishStreamInGroup, reopenStreamInGroup, withdrawStream } from '../commands/groups.ts';
import { loadStreamWith } from '../commands/loadStream.ts';
import type { RunningStreams } from '../commands/openStreams/openStreams.ts';
import { isGroupEvent } from '../domain/group/events.ts';
import { ATTEMPT_ENDS, isStreamEvent, type StreamEvent, streamEventStream } from '../domain/stream/events.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import type { AppendContext, RecordedEvent } from '../stores/log/eventLog.ts';

export interface GroupsDeps extends ConsumerDeps {
  readonly runningStreams: RunningStreams;
}

const TYPES = [...ATTEMPT_ENDS, 'RerunStarted', 'StreamExpired'] satisfies StreamEvent['type'][];
/** A stream may be created this long after its join. */
const ARRIVAL_MILLISECONDS = 60_000;

/**
 * Keeps the groups up to date with their streams: a stream that ended is finished in its group, one that runs again reopens it, an expired one leaves
 * it, and a join whose stream was never created is withdrawn. Runs until the signal aborts.
 */
export const runGroupsPolicy = async (deps: GroupsDeps, signal: AbortSignal): Promise<void> => {
  const finishing: Consumer = {
    name: 'groups',
    types: TYPES,
    handle: async (events) => {
      const streams = new Map<string, RecordedEvent[]>();
      for (const event of events) streams.set(event.eventStream, [...(streams.get(event.eventStream) ?? []), event]);
      // Commands on one group run one after another; those on different groups share commits.
      await Promise.all([...streams.values()].map((ofOne) => tell(deps, ofOne)));
    },
  };
  // A separate consumer: it stays a minute behind the log, so that waiting joins need no other storage.
  const withdrawing: Consumer = { name: 'withdrawals', types: ['StreamJoined'], handle: (events, ended) => withdraw(deps, events, ended) };
  await Promise.all([runConsumer(deps, finishing, signal), runConsumer(deps, withdrawing, signal)]);
};

const contextOf = ({ id, metadata }: RecordedEvent): AppendContext => ({
  subject: metadata.subject,
  actor: 'policy:groups',
  correlationId: metadata.$correlationId,
  causationId: id,
});

/** In order: a stream expires after it has finished. */
const tell = async (deps: GroupsDeps, events: readonly RecordedEvent[]): Promise<void> => {
  for (const event of events) {
    const loaded = await loadStreamWith(deps.log, event);
    // The group of a lone stream has no event stream.
    if (!loaded || loaded.ownGroup?.shared === null) continue;
    if (isStreamEvent(event)) await tellOne(deps, loaded.stream, event);
  }
};

const tellOne = async (deps: GroupsDeps, stream: Stream, event: RecordedEvent & StreamEvent): Promise<void> => {
  const { streamId, groupId } = stream;
  switch (event.type) {
    case 'StreamCompleted':
    case 'StreamFailed':
    case 'StreamCanceled': {
      const outcome = event.type === 'StreamCompleted' ? 'COMPLETED' : 'FAILED';
      const ended = finishingOf(stream, { outcome, attempt: event.data.attempt ?? 1 });
      return void (await finishStreamInGroup(deps, ended, contextOf(event)));
    }
    case 'RerunStarted':
      return void (await reopenStreamInGroup(deps, { groupId, streamId, attempt: event.data.attempt }, contextOf(event)));
    case 'StreamExpired':
      return void (await expireStreamInGroup(deps, stream, contextOf(event)));
  }
};

/** In the order of the joins, each when it is due. */
const withdraw = async (deps: GroupsDeps, events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> => {
  for (const event of events) {
    if (!isGroupEvent(event) || event.type !== 'StreamJoined') continue;
    const left = Math.min(ARRIVAL_MILLISECONDS, Date.parse(event.metadata.time) + ARRIVAL_MILLISECONDS - deps.clock.now());
    if (left > 0) await deps.clock.pause(left, signal);
    signal.throwIfAborted();
    const { groupId, streamId, streamSubject } = event.data;
    const [first] = await deps.log.readStream(streamEventStream(streamId), { limit: 1 });
    if (first) continue;
    await withdrawStream(deps, { groupId, streamId }, contextOf(event));
    await deps.runningStreams.release(streamSubject, streamId);
  }
};
