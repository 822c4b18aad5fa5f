import {
  type Appended,
  DamagedEventStream,
  type EventStore,
  type ReadStreamOptions,
  StoreUnavailable,
  type SubscribeOptions,
} from '../eventStore.ts';
import type { Damage } from '../integrity/damage.ts';
import { Codec, type CodecDeps, type Encoded } from './codec.ts';
import type { EventLog, LogAppended } from './eventLog.ts';
import { checkedWhole } from './wholeEventStream.ts';

/**
 * How often an append of unknown outcome is repeated, with the same ids and expected revision, which returns the outcome. If the store repeats
 * appends itself, it is the only one to do so.
 */
const REPEATS = 2;

export interface EventLogDeps extends CodecDeps {
  readonly store: EventStore;
  /** Called with every damaged event stream. */
  readonly damage?: Damage;
}

/**
 * The log over a store. All events of one append carry the append's position. Besides the store's own errors, `append` rejects on an unknown type
 * or invalid data, and `readStream` with `DamagedEventStream` on an event stream with missing or unreadable events.
 */
export const openEventLog = ({ store, damage, ...deps }: EventLogDeps): EventLog => {
  const codec = new Codec(deps);
  const noted = (error: unknown): never => {
    if (error instanceof DamagedEventStream) damage?.report(error);
    throw error;
  };
  const readStream = async (eventStream: string, options: ReadStreamOptions = {}) => {
    const stored = await store.readStream(eventStream, options);
    const events = await codec.decode(checkedWhole(eventStream, stored, options));
    const readAll = (options.from ?? 0n) === 0n && stored.length < (options.limit ?? Number.POSITIVE_INFINITY);
    if (readAll && options.direction !== 'backwards') damage?.repaired(eventStream);
    return events;
  };
  return {
    keepsTopics: store.keepsTopics,
    async append(eventStream, head, events, context, topic) {
      await topic?.stored?.();
      const encoded = await codec.encode(eventStream, head, events, context);
      const appended = await surely(store, () => store.append(eventStream, head.revision, encoded.stored, topic)).catch(noted);
      return recorded(encoded, appended);
    },
    readStream: (eventStream, options) => readStream(eventStream, options).catch(noted),
    readAll: async (options) => codec.decodeEach(await store.readAll(options)),
    subscribe: (options) => subscribe(store, codec, options),
    head: () => store.head(),
    readStored: (options) => store.readAll(options),
    decode: (events) => codec.decode(events),
  };
};

const recorded = ({ stored, recorded: events, head }: Encoded, appended: Appended): LogAppended => ({
  ...appended,
  events: events.map((event) => ({ ...event, position: appended.position })),
  head,
  bytes: stored.reduce((sum, { text }) => sum + (text ? text.data.length + text.metadata.length : 0), 0),
});

const surely = async <T>(store: EventStore, append: () => Promise<T>): Promise<T> => {
  for (let repeats = 0; ; repeats++) {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || repeats === (store.repeatsAppends ? 0 : REPEATS)) throw error;
    }
  }
};

async function* subscribe(store: EventStore, codec: Codec, options: SubscribeOptions): ReturnType<EventLog['subscribe']> {
  for await (const item of store.subscribe(options)) {
    if (item.kind === 'caughtUp') yield item;
    else yield { kind: 'event', event: await codec.decodeOne(item.event) };
  }
}
