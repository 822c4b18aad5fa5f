import { Codec, type CodecDeps, type Encoded } from './codec.ts';
import type { EventLog } from './eventLog.ts';
import { type Appended, type EventStore, StoreUnavailable, type SubscribeOptions } from './eventStore.ts';

/** How often an append whose outcome is unknown is repeated, with the same ids and the same expected revision: that tells how it ended. */
const REPEATS = 2;

/**
 * The log over a store. All events of one append carry the append's position. Besides the store's own errors, `append` rejects on a type
 * without schema or data that fail it, and `readStream` on an event that cannot be read.
 */
export const openEventLog = ({ store, ...deps }: CodecDeps & { readonly store: EventStore }): EventLog => {
  const codec = new Codec(deps);
  return {
    async append(eventStream, head, events, context) {
      const encoded = await codec.encode(eventStream, head, events, context);
      const appended = await appendSurely(store, eventStream, head.revision, encoded);
      const { position } = appended;
      return { ...appended, events: encoded.recorded.map((event) => ({ ...event, position })), head: encoded.head };
    },
    readStream: async (eventStream, options) => codec.decode(await store.readStream(eventStream, options)),
    readAll: async (options) => codec.decodeEach(await store.readAll(options)),
    subscribe: (options) => subscribe(store, codec, options),
    head: () => store.head(),
    readStored: (options) => store.readAll(options),
    decode: (events) => codec.decode(events),
  };
};

const appendSurely = async (
  store: EventStore,
  eventStream: string,
  expected: Parameters<EventStore['append']>[1],
  { stored }: Encoded,
): Promise<Appended> => {
  for (let repeats = 0; ; repeats++) {
    try {
      return await store.append(eventStream, expected, stored);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || repeats === REPEATS) throw error;
    }
  }
};

async function* subscribe(store: EventStore, codec: Codec, options: SubscribeOptions): ReturnType<EventLog['subscribe']> {
  for await (const item of store.subscribe(options)) {
    if (item.kind === 'caughtUp') yield item;
    else
      yield {
        kind: 'event',
        event: codec.needsKey(item.event) ? await codec.decodeOne(item.event) : codec.decodeKeyless(item.event),
      };
  }
}
