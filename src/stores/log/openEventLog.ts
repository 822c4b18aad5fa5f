import { type Appended, type EventStore, StoreUnavailable, type SubscribeOptions } from '../eventStore.ts';
import { Codec, type CodecDeps, type Encoded } from './codec.ts';
import type { EventLog } from './eventLog.ts';

/**
 * How often an append whose outcome is unknown is repeated, with the same ids and the same expected revision: that tells how it ended. A store that
 * repeats by itself is the only owner of repetitions.
 */
const REPEATS = 2;
/** Callers that go on in one turn of the event loop, at least. */
const TOGETHER = 16;

/**
 * The log over a store. All events of one append carry the append's position. Besides the store's own errors, `append` rejects on a type
 * without schema or data that fail it, and `readStream` on an event that cannot be read.
 */
export const openEventLog = ({ store, ...deps }: CodecDeps & { readonly store: EventStore }): EventLog => {
  const codec = new Codec(deps);
  const groups = new Groups();
  return {
    async append(eventStream, head, events, context) {
      const encoded = await codec.encode(eventStream, head, events, context);
      const appended = await appendSurely(store, eventStream, head.revision, encoded);
      const { position } = appended;
      await groups.next();
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

/**
 * One commit answers all who waited for it. They go on in groups: what the first group hands over next is being written while the second one decides.
 */
class Groups {
  #gone = 0;
  #waiting: (() => void)[] = [];

  next(): Promise<void> | undefined {
    if (this.#gone === 0) setImmediate(() => this.#turn());
    if (this.#gone < TOGETHER) {
      this.#gone += 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #turn(): void {
    // Of many that wait, a quarter: a turn may be a long one.
    const next = this.#waiting.splice(0, Math.max(TOGETHER, Math.ceil(this.#waiting.length / 4)));
    this.#gone = next.length;
    if (next.length > 0) setImmediate(() => this.#turn());
    for (const go of next) go();
  }
}

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
      if (!(error instanceof StoreUnavailable) || repeats === (store.repeatsAppends ? 0 : REPEATS)) throw error;
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
