import { expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { type EventStore, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';

/** How often one append of the log asks a store that is away. */
const asked = async (repeatsAppends: boolean): Promise<number> => {
  let appends = 0;
  const clock = new ManualClock();
  const away: EventStore = new Proxy(new MemoryEventStore(), {
    get: (target, name) => {
      if (name === 'repeatsAppends') return repeatsAppends || undefined;
      if (name === 'append') {
        return () => {
          appends += 1;
          return Promise.reject(new StoreUnavailable('away'));
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const log = openEventLog({ store: away, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
  const context = { subject: 's', actor: 'test', correlationId: 'c', causationId: 'c' };
  const event = { type: 'StreamWithdrawn', data: { streamId: 's' } };
  await expect(log.append('group-a', { revision: 'no stream', hash: null }, [event], context)).rejects.toBeInstanceOf(StoreUnavailable);
  return appends;
};

test('repeats an append of unknown outcome, unless the store does so itself', async () => {
  expect(await asked(false)).toBe(3);
  expect(await asked(true)).toBe(1);
});
