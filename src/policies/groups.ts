import {
  expireStreamInGroup,
  finishingOf,
  finishStreamInGroup,
  joiningOf,
  joinStream,
  reopenStreamInGroup,
  withdrawStream,
} from '../commands/groups.ts';
import { loadStream, loadStreamWith } from '../commands/loadStream.ts';
import type { Slots } from '../commands/slots.ts';
import { isGroupEvent } from '../domain/group/events.ts';
import { isStreamEvent, type StreamEvent } from '../domain/stream/events.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import type { Consumer, ConsumerDeps } from '../stores/consumers/consumer.ts';
import { runConsumer } from '../stores/consumers/runConsumer.ts';
import type { AppendContext, RecordedEvent } from '../stores/log/eventLog.ts';

export interface GroupsDeps extends ConsumerDeps {
  readonly slots: Slots;
}

const TYPES = [
  'StreamCreated',
  'StreamCompleted',
  'StreamFailed',
  'StreamCanceled',
  'RerunStarted',
  'StreamExpired',
] satisfies StreamEvent['type'][];
/** How long after its join a stream may be created. */
const ARRIVAL_MILLISECONDS = 60_000;
/** How long a stream may run before its own group is recorded. The group of a shorter one is recorded at its end, in one append. */
const FOUNDING_MILLISECONDS = 1_000;

/**
 * Keeps the groups up to date with their streams: a stream that ended is finished in its group, one that runs again reopens it, an expired one leaves
 * it, and a join whose stream was never created is withdrawn. A stream that runs for a second gets its own group, if that was not recorded before it.
 * Runs until the signal aborts.
 */
export const runGroupsPolicy = async (deps: GroupsDeps, signal: AbortSignal): Promise<void> => {
  const foundings = new Foundings(deps, signal);
  const finishing: Consumer = {
    name: 'groups',
    types: TYPES,
    handle: async (events) => {
      const streams = new Map<string, RecordedEvent[]>();
      for (const event of events) {
        if (event.type === 'StreamCreated') foundings.add(event);
        else streams.set(event.eventStream, [...(streams.get(event.eventStream) ?? []), event]);
      }
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
    if (loaded && isStreamEvent(event)) await tellOne(deps, loaded.stream, event);
  }
};

const tellOne = async (deps: GroupsDeps, stream: Stream, event: RecordedEvent & StreamEvent): Promise<void> => {
  const { streamId, groupId } = stream;
  switch (event.type) {
    case 'StreamCompleted':
      return finish(deps, stream, { outcome: 'COMPLETED', attempt: event.data.attempt ?? 1 }, contextOf(event));
    case 'StreamFailed':
    case 'StreamCanceled':
      return finish(deps, stream, { outcome: 'FAILED', attempt: event.data.attempt ?? 1 }, contextOf(event));
    case 'RerunStarted':
      return void (await reopenStreamInGroup(deps, { groupId, streamId, attempt: event.data.attempt }, contextOf(event)));
    case 'StreamExpired':
      return void (await expireStreamInGroup(deps, stream, contextOf(event)));
  }
};

const finish = async (
  deps: GroupsDeps,
  stream: Stream,
  ended: { outcome: 'COMPLETED' | 'FAILED'; attempt: number },
  context: AppendContext,
): Promise<void> => {
  await finishStreamInGroup(deps, finishingOf(stream, ended), context);
};

/**
 * Records the own groups of streams that run for a second. Nothing waits for it, and a restart forgets it: `finish` records a group that is still missing when
 * its stream ends.
 */
class Foundings {
  readonly #deps: GroupsDeps;
  readonly #signal: AbortSignal;
  readonly #waiting: RecordedEvent[] = [];
  #working = false;

  constructor(deps: GroupsDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Repeatable. */
  add(event: RecordedEvent): void {
    if (!isStreamEvent(event) || event.type !== 'StreamCreated' || !event.data.groupFollows) return;
    this.#waiting.push(event);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let next = this.#waiting.shift(); next && !this.#signal.aborted; next = this.#waiting.shift()) {
      const { eventStream } = next;
      await this.#found(next).catch((error: unknown) => {
        this.#deps.logger.debug(
          { err: error, eventStream },
          'recording the group of a running stream failed; it is recorded when the stream ends',
        );
      });
    }
    this.#working = false;
  }

  async #found(event: RecordedEvent): Promise<void> {
    await untilOld(this.#deps, event, FOUNDING_MILLISECONDS, this.#signal);
    const loaded = await loadStream(this.#deps.log, event.eventStream.slice('stream-'.length));
    if (loaded?.stream.state === 'READY') await joinStream(this.#deps, joiningOf(loaded.stream), contextOf(event));
  }
}

/** Rejects if the signal aborts first. */
const untilOld = async ({ clock }: GroupsDeps, { metadata }: RecordedEvent, milliseconds: number, signal: AbortSignal): Promise<void> => {
  const left = Math.min(milliseconds, Date.parse(metadata.time) + milliseconds - clock.now());
  if (left > 0) await clock.pause(left, signal);
  signal.throwIfAborted();
};

/** In the order of the joins, each when it is due. */
const withdraw = async (deps: GroupsDeps, events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> => {
  for (const event of events) {
    if (!isGroupEvent(event) || event.type !== 'StreamJoined') continue;
    await untilOld(deps, event, ARRIVAL_MILLISECONDS, signal);
    const { groupId, streamId, streamSubject } = event.data;
    const [first] = await deps.log.readStream(`stream-${streamId}`, { limit: 1 });
    if (first) continue;
    await withdrawStream(deps, { groupId, streamId }, contextOf(event));
    await deps.slots.free(streamSubject, streamId);
  }
};
