import { type EventStore, type ExpectedRevision, type NewStoredEvent, StoreUnavailable } from '../../src/stores/eventStore.ts';

/** Appends batches of events one after another until `stop` is called. Like a caller, it repeats an append with the same ids if the store was unavailable. */
export class Appender {
  /** Ids of the appended events, in order. */
  readonly acknowledged: string[] = [];
  readonly #done: Promise<void>;
  #stopped = false;

  constructor(store: EventStore, eventStream: string, events: () => readonly NewStoredEvent[]) {
    this.#done = this.#append(store, eventStream, events);
  }

  /** Resolves after the last append; rejects if one failed for another reason than `StoreUnavailable`. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#done;
  }

  async #append(store: EventStore, eventStream: string, events: () => readonly NewStoredEvent[]): Promise<void> {
    for (let at: ExpectedRevision = 'no stream'; !this.#stopped; ) {
      const given = events();
      const append = (): Promise<bigint> =>
        store.append(eventStream, at, given).then(
          ({ revision }) => revision,
          (error: unknown) => (error instanceof StoreUnavailable ? append() : Promise.reject(error)),
        );
      at = await append();
      this.acknowledged.push(...given.map(({ id }) => id));
    }
  }
}
