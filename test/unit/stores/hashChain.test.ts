import { createHash } from 'node:crypto';
import referenceModule from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../src/stores/canonicalJson.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';

// Its types describe an ES module, which it is not.
const canonicalize = referenceModule as unknown as (value: unknown) => string;

const schemas = { Noted: { version: 1, schema: { type: 'object', properties: { n: { type: 'number' } } } } };

/** Three event streams of four events each, mixed in the log. */
const written = async (names = ['x-1', 'x-2', 'x-3']): Promise<MemoryEventStore> => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas, clock: new ManualClock() });
  const heads = new Map(names.map((name) => [name, { revision: 'no stream' as bigint | 'no stream', hash: null as string | null }]));
  for (let n = 0; n < 4; n++) {
    for (const [name, head] of heads) {
      const context = { subject: 's', actor: 'a', correlationId: 'c', causationId: 'c' };
      heads.set(name, (await log.append(name, head, [{ type: 'Noted', data: { n } }], context)).head);
    }
  }
  return store;
};

test('writes canonical JSON like the reference implementation of RFC 8785', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
    { numRuns: 2_000 },
  );
});

test('sorts canonical JSON by UTF-16 code units, including numbers and special names', () => {
  const value = JSON.parse('{"10":1,"9":2,"\\ufb33":3,"\\ud83d\\ude00":4,"__proto__":{"b":1,"a":-0},"":1e21,"z":[0.1,"\\u2028",null]}');
  expect(canonicalJson(value)).toBe(canonicalize(value));
  expect(canonicalJson(value).startsWith('{"":1e+21,"10":1,"9":2,')).toBe(true);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1])('refuses values that JSON cannot represent: %s', (value) => {
  expect(() => canonicalJson({ value })).toThrow();
});

test('hashes the canonical JSON of an event, which anyone can compute', async () => {
  const { events } = await written();
  for (const { eventStream, revision, id, type, data, metadata } of events) {
    const { hash, ...rest } = metadata;
    const text = canonicalize({
      eventStream,
      revision: String(revision),
      previousHash: metadata.previousHash,
      id,
      type,
      data,
      metadata: rest,
    });
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
  }
});

test('verifies an untouched log', async () => {
  const { events } = await written();
  expect(await verifyChain(events)).toEqual({ ok: true, checked: 12, firstBroken: null });
});

type Tamper = { what: string; by: (events: MemoryEventStore['events']) => MemoryEventStore['events']; names: object };

const at = (eventStream: string, revision: bigint) => (event: { eventStream: string; revision: bigint }) =>
  event.eventStream === eventStream && event.revision === revision;

const tampers: Tamper[] = [
  {
    what: 'edited data',
    by: (events) => events.map((e) => (at('x-2', 1n)(e) ? { ...e, data: { n: 99 } } : e)),
    names: { eventStream: 'x-2', revision: 1n, reason: 'its content does not match its hash' },
  },
  {
    what: 'a changed time',
    by: (events) => events.map((e) => (at('x-2', 3n)(e) ? { ...e, metadata: { ...e.metadata, time: '2020-01-01T00:00:00.000Z' } } : e)),
    names: { eventStream: 'x-2', revision: 3n, reason: 'its content does not match its hash' },
  },
  {
    what: 'a dropped event',
    by: (events) => events.filter((e) => !at('x-3', 1n)(e)),
    names: { eventStream: 'x-3', revision: 2n, reason: 'revision 1 is missing' },
  },
  {
    what: 'a dropped first event',
    by: (events) => events.filter((e) => !at('x-3', 0n)(e)),
    names: {
      eventStream: 'x-3',
      revision: 1n,
      reason: 'the event stream must begin at revision 0, but 1 events are missing before this one',
    },
  },
  {
    what: 'a dropped event whose followers were renumbered',
    by: (events) =>
      events
        .filter((e) => !at('x-1', 1n)(e))
        .map((e) => (e.eventStream === 'x-1' && e.revision > 1n ? { ...e, revision: e.revision - 1n } : e)),
    names: { eventStream: 'x-1', revision: 1n, reason: 'its previousHash does not match the event before it' },
  },
  {
    what: 'an event moved to another event stream',
    by: (events) => events.map((e) => (at('x-1', 3n)(e) ? { ...e, eventStream: 'x-2', revision: 4n } : e)),
    names: { eventStream: 'x-2', reason: 'revision 3 is missing' },
  },
  {
    what: 'a repeated event',
    by: (events) => events.flatMap((e) => (at('x-1', 2n)(e) ? [e, e] : [e])),
    names: { eventStream: 'x-1', revision: 2n, reason: 'revision 2 occurs twice' },
  },
  {
    what: 'a taken-off hash',
    by: (events) => events.map((e) => (at('x-1', 0n)(e) ? { ...e, metadata: { ...e.metadata, hash: null } } : e)),
    names: { eventStream: 'x-1', revision: 0n, reason: 'it carries no hash' },
  },
];

test.each(tampers)('finds $what and names its place', async ({ by, names }) => {
  const { events } = await written();
  const verdict = await verifyChain(by(events));
  expect(verdict.ok).toBe(false);
  expect(verdict.firstBroken).toMatchObject(names);
});

test('verifies an event stream from its first remaining event if earlier ones have expired', async () => {
  const { events } = await written(['delivery-1', 'x-1']);
  const kept = events.filter((e) => e.eventStream === 'delivery-1' && e.revision > 1n);
  expect(await verifyChain(kept)).toEqual({ ok: true, checked: 2, firstBroken: null });
});
