import { LRUCache } from 'lru-cache';
import { loadStream, rememberedStreamAt } from '../../commands/loadStream.ts';
import { isSealsEvent } from '../../domain/audit/events.ts';
import { type GroupEvent, isGroupEvent } from '../../domain/group/events.ts';
import { dynamicEndpoint } from '../../domain/stream/dynamicWebhooks.ts';
import { isStreamEvent } from '../../domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../domain/stream/state.ts';
import type { DynamicWebhook } from '../../domain/stream/streamConfiguration.ts';
import { isTranscriptEvent, streamOfTranscript } from '../../domain/transcript/events.ts';
import { isWebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { type EventContext, isHealthChange } from './webhookTypes.ts';

/** The webhooks of a group: those of its streams, each URL once. The first stream that names a URL gives the endpoint's id. */
export interface GroupContext {
  readonly creatorId: string;
  readonly webhooks: ReadonlyMap<string, { readonly streamId: string; readonly events: readonly string[] }>;
}

const MAX_GROUP_WEBHOOKS = 30;
const REMEMBERED = 4_000;
/** Limit of all cached streams, and of all cached groups, in characters of JSON: a stream may have a large configuration and many attempts. */
const REMEMBERED_CHARACTERS = 8_388_608;
const PAGE = 20;

type At<T> = { readonly revision: bigint; readonly state: T };

/** The same object if nothing changes. */
const withWebhooks = (group: GroupContext, streamId: string, webhooks: readonly DynamicWebhook[]): GroupContext => {
  const merged = new Map(group.webhooks);
  let isChanged = false;
  for (const { url, events } of webhooks) {
    const known = merged.get(url);
    // An erased URL reads as null.
    if (url === null || (!known && merged.size >= MAX_GROUP_WEBHOOKS)) continue;
    const all = [...new Set([...(known?.events ?? []), ...events])];
    if (known && all.length === known.events.length) continue;
    merged.set(url, { streamId: known?.streamId ?? streamId, events: all });
    isChanged = true;
  }
  return isChanged ? { ...group, webhooks: merged } : group;
};

const evolveGroupContext = (group: GroupContext | null, event: GroupEvent): GroupContext => {
  if (event.type === 'GroupCreated') return { creatorId: event.data.creatorId, webhooks: new Map() };
  if (event.type === 'GroupContinued')
    return withWebhooks({ creatorId: event.data.creatorId, webhooks: new Map() }, event.data.streamId, event.data.webhooks);
  if (!group) throw new Error(`${event.type} before GroupCreated`);
  return event.type === 'StreamJoined' ? withWebhooks(group, event.data.streamId, event.data.webhooks) : group;
};

/**
 * The webhooks of a group as of each revision that changed them, oldest first. Webhooks are only added, so there are few, and a retry of an old event need
 * not fold the group again.
 */
type GroupHistory = readonly { readonly from: number; readonly context: GroupContext }[];

const evolveGroupHistory = (history: GroupHistory | null, event: RecordedEvent): GroupHistory | null => {
  if (!isGroupEvent(event)) return history;
  const before = history?.at(-1)?.context ?? null;
  const context = evolveGroupContext(before, event);
  return history && context === before ? history : [...(history ?? []), { from: Number(event.revision), context }];
};

const contexts = <T extends object>(contentOf: (state: T) => unknown): LRUCache<string, At<T>> =>
  new LRUCache({
    max: REMEMBERED,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: ({ state }) => JSON.stringify(contentOf(state)).length,
  });

type GroupKind = Extract<EventContext, { kind: 'group' }>;

/** Where the contexts of streams, groups and transcripts come from. */
export interface ContextSources {
  /** The stream as of the event. */
  stream(event: RecordedEvent): Promise<StreamAggregate>;
  /** The group as of the event. */
  group(event: RecordedEvent): Promise<Pick<GroupKind, 'creatorId' | 'targets'>>;
  /** Ids of a transcript's stream, which never change. */
  owner(streamId: string): Promise<{ readonly groupId: string; readonly creatorId: string }>;
}

/** The context that the body of a webhook shows. Throws for an event that sends no webhook: an event of another kind needs a case here. */
export const eventContextOf = async (event: RecordedEvent, sources: ContextSources): Promise<EventContext> => {
  const { eventStream } = event;
  if (isStreamEvent(event)) return { kind: 'stream', stream: await sources.stream(event) };
  if (isGroupEvent(event)) return { kind: 'group', groupId: eventStream.slice('group-'.length), ...(await sources.group(event)) };
  if (isTranscriptEvent(event)) {
    const streamId = streamOfTranscript(eventStream);
    const { groupId, creatorId } = await sources.owner(streamId);
    return { kind: 'transcript', streamId, groupId, creatorId };
  }
  if (isSealsEvent(event)) return { kind: 'seal' };
  if (isHealthChange(event)) return { kind: 'endpoint' };
  if (isWebhookEndpointsEvent(event) && event.type === 'PingRequested') return { kind: 'request' };
  throw new Error(`${event.type} has no context for webhooks`);
};

/**
 * The context of an event: its stream or group as of its revision, folded from its event stream. The newest is cached, so that reading in log order
 * reads each event once.
 */
export class EventContexts {
  readonly #log: EventLog;
  readonly #streams = contexts<StreamAggregate>((stream) => stream);
  readonly #groups = contexts<GroupHistory>((history) => [...(history.at(-1)?.context.webhooks ?? [])]);

  readonly #sources: ContextSources = {
    stream: (event) => this.#stream(event),
    group: (event) => this.#targets(event),
    owner: (streamId) => this.#owner(streamId),
  };

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Rejects with `StoreUnavailable`. */
  of(event: RecordedEvent): Promise<EventContext> {
    return eventContextOf(event, this.#sources);
  }

  /** Call it after an erasure: cached contexts hold personal data. */
  forget(): void {
    this.#streams.clear();
    this.#groups.clear();
  }

  /** Whether the stream is cached and has no dynamic webhook. */
  hasNoDynamicWebhook(eventStream: string): boolean {
    return this.#streams.get(eventStream)?.state.stream.configuration.dynamicWebhookEndpoints.length === 0;
  }

  async #owner(streamId: string): Promise<StreamAggregate['stream']> {
    const found = await loadStream(this.#log, streamId);
    if (!found) throw new Error(`stream ${streamId} does not exist`);
    return found.stream;
  }

  async #stream(event: RecordedEvent): Promise<StreamAggregate> {
    const fold = (state: StreamAggregate | null, one: RecordedEvent): StreamAggregate | null =>
      isStreamEvent(one) ? evolveStream(state, one, one.metadata.time) : state;
    const { eventStream, revision } = event;
    // After a long rest, such as before its expiry, only the command's state is in memory.
    const state = rememberedStreamAt(this.#log, event);
    if (!state) return this.#at(this.#streams, event, revision, fold);
    this.#streams.set(eventStream, { revision, state });
    return state;
  }

  async #targets(event: RecordedEvent): Promise<Pick<GroupKind, 'creatorId' | 'targets'>> {
    const { creatorId, webhooks } = await this.#group(event);
    const targets = [...webhooks].map(([url, { streamId, events }]) => ({
      endpoint: dynamicEndpoint(streamId, { url, events: [...events] }),
      streamId,
    }));
    return { creatorId, targets };
  }

  /** A group is created in one append with its first stream, whose webhooks get `group.created` too. */
  async #group(event: RecordedEvent): Promise<GroupContext> {
    const revision = event.type === 'GroupCreated' ? event.revision + 1n : event.revision;
    const remembered = this.#groups.get(event.eventStream);
    const isKnown = remembered !== undefined && remembered.revision >= revision;
    const history = isKnown ? remembered.state : await this.#at(this.#groups, event, revision, evolveGroupHistory);
    const version = history.findLast(({ from }) => from <= Number(revision));
    if (!version) throw new Error(`${event.eventStream} has no beginning`);
    return version.context;
  }

  async #at<T extends object>(
    known: LRUCache<string, At<T>>,
    event: RecordedEvent,
    revision: bigint,
    fold: (state: T | null, event: RecordedEvent) => T | null,
  ): Promise<T> {
    const { eventStream } = event;
    const remembered = known.get(eventStream);
    if (remembered?.revision === revision) return remembered.state;
    const usable = remembered && remembered.revision < revision ? remembered : null;
    let state: T | null = usable?.state ?? null;
    let next = usable ? usable.revision + 1n : 0n;
    if (next === revision && event.revision === revision) {
      state = fold(state, event);
      next += 1n;
    }
    while (next <= revision) {
      const limit = Math.min(PAGE, Number(revision - next) + 1);
      const page = await this.#log.readStream(eventStream, { from: next, limit });
      for (const one of page) state = fold(state, one);
      if (page.length === 0) break;
      next += BigInt(page.length);
    }
    if (!state) throw new Error(`${eventStream} has no beginning`);
    if (!remembered || remembered.revision < revision) known.set(eventStream, { revision, state });
    return state;
  }
}
