import referenceModule from 'canonicalize';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import type { EventStore, EventText } from '../../../src/stores/eventStore.ts';
import { linkOfText } from '../../../src/stores/integrity/chainLink.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { logWriterInThread } from '../../writersInThread.ts';

// Its types describe an ES module, which it is not.
const canonicalize = referenceModule as unknown as (value: unknown) => string;

const schemas = { Noted: { version: 1, schema: { type: 'object' } } };
const DATA = { z: 1, a: { '10': 'x', '9': [true, null, 1e21], text: 'ö "\\\u2028' }, list: [] };

/** What the embedded store keeps of events with this correlation id. */
const stored = async (correlationId: string): Promise<EventText[]> => {
  const clock = new ManualClock();
  const store: EventStore = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock });
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas, clock });
  const context = { subject: 's', actor: 'a', correlationId, causationId: 'b' };
  const noted = { type: 'Noted', data: DATA };
  await log.append('x-1', { revision: 'no stream', hash: null }, [noted, noted, noted], context);
  const texts = (await store.readTexts?.({ after: null, limit: 10 })) ?? [];
  await store.close();
  return texts;
};

let event: EventText;

beforeEach(async () => {
  const [, second] = await stored('c');
  if (!second) throw new Error('nothing was stored');
  event = second;
});

const changed = (members: Partial<EventText>): EventText => ({
  ...{ id: event.id, type: event.type, eventStream: event.eventStream, revision: event.revision },
  ...{ position: event.position, data: event.data, metadata: event.metadata },
  ...members,
});

const changedText = (name: 'data' | 'metadata' | 'id' | 'type' | 'eventStream', text: string) => linkOfText(changed({ [name]: text }));

test('stores events in canonical form', () => {
  expect(event.data).toBe(canonicalize(DATA));
  expect(event.metadata).toBe(canonicalize(JSON.parse(event.metadata)));
  expect(linkOfText(event).problem).toBeNull();
});

test.each(['plain', 'with "quotes" and \\', 'with a line\nend', ''])('verifies whatever the correlation id: %j', async (correlationId) => {
  const links = (await stored(correlationId)).map(linkOfText);
  expect(links.map(({ problem }) => problem)).toEqual([null, null, null]);
  expect(links.map(({ previousHash }) => previousHash)).toEqual([null, links[0]?.hash, links[1]?.hash]);
});

test('detects any changed character', () => {
  const intact = linkOfText(event);
  for (const name of ['data', 'metadata', 'id', 'type', 'eventStream'] as const) {
    const text = event[name];
    for (let at = 0; at < text.length; at += 1) {
      for (const other of ['', ' ', '0', '"', `${text[at]}${text[at]}`]) {
        const edited = text.slice(0, at) + other + text.slice(at + 1);
        if (edited !== text) expect(changedText(name, edited).problem, `${name} at ${at}: ${edited}`).not.toBeNull();
      }
    }
  }
  expect(linkOfText(changed({ revision: 2n })).problem).not.toBeNull();
  expect(intact.problem).toBeNull();
});

test('detects text moved between members', () => {
  const whole = `${event.data},"eventStream":"x-1","id":"${event.id}","metadata":${event.metadata}`;
  fc.assert(
    fc.property(fc.nat(whole.length), fc.nat(whole.length), (one, other) => {
      const [from, to] = one < other ? [one, other] : [other, one];
      const data = whole.slice(0, from);
      const metadata = whole.slice(to);
      fc.pre(data !== event.data || metadata !== event.metadata);
      expect(linkOfText(changed({ data, metadata })).problem).not.toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

test('detects a duplicated member, even if its last value is unchanged', () => {
  const doubled = `{"z":2,${event.data.slice(1)}`;
  expect(JSON.parse(doubled)).toEqual(JSON.parse(event.data));
  expect(changedText('data', doubled).problem).toBe('its stored text was changed');
  expect(changedText('metadata', `{"subject":"other",${event.metadata.slice(1)}`).problem).toBe('its stored text was changed');
});

test('verifies text that earlier versions stored in non-canonical form', () => {
  const { hash, ...rest } = JSON.parse(event.metadata);
  const earlier = changed({ data: JSON.stringify(DATA), metadata: JSON.stringify({ time: rest.time, ...rest, hash }) });
  expect(earlier.data).not.toBe(event.data);
  expect(linkOfText(earlier)).toEqual({ ...linkOfText(earlier), hash, problem: null });
});
