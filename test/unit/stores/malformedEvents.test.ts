import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StoredEvent } from '../../../src/stores/eventStore.ts';
import type { AppendContext, RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { failed, link, OWNER, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';

const by: AppendContext = { subject: OWNER, actor: 'credential', correlationId: 'correlation', causationId: 'cause' };
const EVENTS = [
  ...[streamCreated([link('echo', null)]), uploaded, started('echo'), failed('echo')],
  { type: 'StreamFailed', data: { reason: 'no speech' } },
];

/** Possible rows of a log that another program has written. The store accepts any JSON object. */
const members = fc.dictionary(fc.constantFrom('reason', 'name', 'trail', 'chain', '$personal', '__proto__'), fc.jsonValue({ maxDepth: 2 }));
const versions = fc.oneof(fc.constantFrom<unknown>(1, 2, 0, -1, 1.5, 99, '1', null, undefined, {}), fc.integer());
const sealed = fc.oneof(fc.base64String(), fc.string(), fc.constant(null)).map((text) => ({ $personal: text }));
const malformed = fc.record({
  at: fc.nat({ max: EVENTS.length - 1 }),
  type: fc.option(fc.constantFrom(...Object.keys(EVENT_SCHEMAS), '__proto__', 'constructor', 'Unknown'), { nil: undefined }),
  data: fc.option(
    fc.oneof(
      members,
      sealed,
      fc.tuple(members, sealed).map(([data, reason]) => ({ ...data, reason })),
    ),
    { nil: undefined },
  ),
  metadata: fc.oneof(
    fc.record({ schemaVersion: versions }),
    fc.record({ subject: fc.jsonValue({ maxDepth: 1 }) }),
    fc.record({ time: fc.jsonValue({ maxDepth: 1 }) }),
    fc.constant({}),
  ),
});

/** The event's content, or the sentence that says why it is unreadable. */
const saidBy = (event: RecordedEvent | undefined): unknown => {
  try {
    return event?.data;
  } catch (error) {
    return error;
  }
};

test('reads any malformed event or refuses it with a sentence, and reads all others', async () => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  await log.append(`stream-${STREAM}`, { revision: 'no stream', hash: null }, EVENTS, by);
  const whole = store.events;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(malformed, async ({ at, type, data, metadata }) => {
      const before = whole[at];
      if (!before) throw new Error('the log has it');
      // As a store gives it, which checks nothing but that it is JSON.
      const changed = {
        ...before,
        type: type ?? before.type,
        data: data ?? before.data,
        metadata: { ...before.metadata, ...metadata },
      } as StoredEvent;
      store.events = whole.with(at, changed);
      const read = await log.readAll({ after: null, limit: 10 });
      expect(read.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
      for (const [n, event] of read.entries()) if (n !== at) expect(saidBy(event)).toEqual(EVENTS[n]?.data);
      const said = saidBy(read[at]);
      if (!(said instanceof Error)) {
        expect(said).toBeTypeOf('object');
        return;
      }
      refused += 1;
      // Expected: the cause is a sentence, never a TypeError.
      const cause = said.cause instanceof Error ? said.cause : said;
      expect([cause.name, said.message]).toEqual(['Error', expect.stringMatching(/event|personal/)]);
      await expect(log.readStream(`stream-${STREAM}`)).rejects.toThrow(said.message);
    }),
    { numRuns: 1_000 },
  );
  expect(refused).toBeGreaterThan(50);
});
