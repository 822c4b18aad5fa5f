import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Decider, handle } from '../../src/commands/handle.ts';
import { silentLogger } from '../../src/logger.ts';
import type { EventStore } from '../../src/stores/eventStore.ts';
import { Damage } from '../../src/stores/integrity/damage.ts';
import type { AppendContext, EventLog } from '../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../fakes/memoryKeys.ts';
import { ManualClock } from '../manualClock.ts';

/** A store whose log can be changed from outside the platform, like by an operator of the store or another program. */
export interface DamageableStore {
  readonly store: EventStore;
  /** Changes the log; returns the store to use from then on. */
  readonly damage: {
    /** Hides or removes the first event of an event stream. */
    hideFirst(eventStream: string): Promise<EventStore>;
    /** Appends an event without the platform's metadata. */
    appendForeign(eventStream: string): Promise<EventStore>;
    /** Other ways of the store to hide an event stream. */
    readonly further: Readonly<Record<string, (eventStream: string) => Promise<EventStore>>>;
  };
  dispose(): Promise<void>;
}

type Added = { type: 'Added'; data: { n: number } };
const schemas = { Added: { version: 1, schema: { type: 'object', properties: { n: { type: 'number' } } } } };
const sum: Decider<number, Added> = { initialState: () => 0, evolve: (total, { data }) => total + data.n };
const context: AppendContext = { subject: 's', actor: 'a', correlationId: 'c', causationId: 'c' };

/** Promises of a log over any event store for a damaged event stream. */
export const damageContract = (name: string, ways: readonly string[], open: () => Promise<DamageableStore>): void => {
  describe(`a log over ${name} with a damaged event stream`, () => {
    let under: DamageableStore;
    let eventStream: string;
    let whole: string;
    const keys = new MemoryKeys();

    beforeEach(async () => {
      under = await open();
      [eventStream, whole] = [`group-${randomUUID()}`, `group-${randomUUID()}`];
      const { log } = opened(under.store);
      for (const n of [1, 2, 3]) await add(log, eventStream, n);
      await add(log, whole, 7);
    });
    afterEach(() => under.dispose());

    /** As a node without caches opens it. */
    const opened = (store: EventStore) => {
      const damage = new Damage(silentLogger);
      return { damage, log: openEventLog({ store, keys, schemas, clock: new ManualClock(), damage }) };
    };
    const add = (log: EventLog, to: string, n: number) =>
      handle({ log }, { eventStream: to, decider: sum, decide: () => [{ type: 'Added', data: { n } }], context });
    const eventsIn = async (store: EventStore) => (await store.readAll({ after: null, limit: 1_000 })).length;

    const refuses = async (store: EventStore) => {
      const { log, damage } = opened(store);
      const before = await eventsIn(store);
      await expect(add(log, eventStream, 4)).rejects.toMatchObject({ name: 'DamagedEventStream', eventStream });
      await expect(log.readStream(eventStream)).rejects.toThrow(`The event stream ${eventStream} is damaged`);
      expect(await eventsIn(store)).toBe(before);
      expect(damage.sentence()).toContain(eventStream);
      // The others are served.
      expect((await add(log, whole, 1)).state).toBe(8);
    };

    it('refuses commands and reads of one with missing first events, writes nothing, and serves the others', async () => {
      await refuses(await under.damage.hideFirst(eventStream));
    });

    it('refuses commands and reads of one with an event of another program, and serves the others', async () => {
      await refuses(await under.damage.appendForeign(eventStream));
    });

    it.each(ways)('refuses commands and reads of one after %s, writes nothing, and serves the others', async (way) => {
      const further = under.damage.further[way];
      if (!further) throw new Error(`no way is called ${way}`);
      await refuses(await further(eventStream));
    });

    it('skips an event of another program when it follows the whole log', async () => {
      const store = await under.damage.appendForeign(eventStream);
      const events = await opened(store).log.readAll({ after: null, limit: 1_000 });
      expect(events.filter(({ eventStream: of }) => of === eventStream).map(({ type }) => type)).toEqual([
        'Added',
        'Added',
        'Added',
        '$foreign',
      ]);
      expect(events.filter(({ eventStream: of }) => of === whole).map(({ data }) => data)).toEqual([{ n: 7 }]);
    });
  });
};
