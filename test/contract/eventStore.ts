import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Appended,
  AppendTooLarge,
  type EventStore,
  type ExpectedRevision,
  type NewStoredEvent,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
  StoreUnavailable,
  type SubscribeOptions,
  type SubscriptionItem,
  WrongExpectedRevision,
} from '../../src/stores/eventStore.ts';
import type { EventFilter } from '../../src/stores/log/eventFilter.ts';
import { logPages } from '../../src/stores/pages.ts';
import { eventually } from '../eventually.ts';

/** An event store under test, and control of its time. Its log may already contain other events. */
export interface EventStoreUnderTest {
  readonly store: EventStore;
  /** Advances the store's own clock by this many seconds. */
  pass(seconds: number): Promise<void>;
  /** Closes the store if it is still open, and removes its data. */
  dispose(): Promise<void>;
}

const event = (data: NewStoredEvent['data'] = {}, type = 'SomethingHappened'): NewStoredEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { subject: 'someone' },
});

const events = (count: number): NewStoredEvent[] => Array.from({ length: count }, (_, n) => event({ n }));

export interface EventStoreTraits {
  /** Expired events stay in the whole log until the server cleans up: only reads of their event stream omit them. */
  readonly keepsExpiredInLog?: boolean;
}

/** What every event store promises. */
export const eventStoreContract = (
  name: string,
  open: () => Promise<EventStoreUnderTest>,
  { keepsExpiredInLog = false }: EventStoreTraits = {},
): void => {
  describe(`${name} keeps the contract of an event store`, () => {
    let under: EventStoreUnderTest;
    let store: EventStore;
    /** A fresh event stream with its own type, so that a shared log can be used. */
    let stream: string;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      stream = `contract-${randomUUID()}`;
    });
    afterEach(() => under.dispose());

    const idsIn = async (eventStream: string) => (await store.readStream(eventStream)).map(({ id }) => id);
    const conflict = async (expected: ExpectedRevision, toAppend: readonly NewStoredEvent[]): Promise<WrongExpectedRevision> => {
      const error: unknown = await store.append(stream, expected, toAppend).then(
        (appended) => expect.unreachable(`it was stored: ${appended.revision}`),
        (reason: unknown) => reason,
      );
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return error;
    };

    describe('append', () => {
      it('starts an event stream at revision 0 if none is expected', async () => {
        const appended = await store.append(stream, 'no stream', [event()]);
        expect(appended.revision).toBe(0n);
        expect(await store.head()).toBe(appended.position);
      });

      it('continues at the expected last revision', async () => {
        await store.append(stream, 'no stream', events(2));
        expect((await store.append(stream, 1n, [event()])).revision).toBe(2n);
      });

      it('returns the revision and position of the last of several events, equal to those read', async () => {
        const appended = await store.append(stream, 'no stream', events(3));
        const stored = await store.readStream(stream);
        expect(stored.map(({ revision }) => revision)).toEqual([0n, 1n, 2n]);
        expect(appended).toEqual({ revision: 2n, position: stored[2]?.position });
      });

      it('keeps id, type, data and metadata unchanged', async () => {
        const given: NewStoredEvent = {
          id: randomUUID(),
          type: 'ÄtherGehört',
          data: {
            text: 'naïve 🎧 \u0000 "quoted" \u2028',
            list: [1, 2.5, -0.1, true, null, { deep: [] }],
            empty: {},
            ['__proto__']: 'own',
          },
          metadata: { time: '2026-01-01T00:00:00.000Z', $correlationId: 'c' },
        };
        await store.append(stream, 'no stream', [given]);
        const [stored] = await store.readStream(stream);
        expect(stored).toMatchObject({ id: given.id, type: given.type, eventStream: stream });
        expect(JSON.stringify(stored?.data)).toBe(JSON.stringify(given.data));
        expect(stored?.metadata).toEqual(given.metadata);
      });

      it('refuses "no stream" for an existing event stream, and returns its revision', async () => {
        await store.append(stream, 'no stream', events(2));
        expect(await conflict('no stream', [event()])).toMatchObject({ eventStream: stream, expected: 'no stream', actual: 1n });
        expect(await idsIn(stream)).toHaveLength(2);
      });

      it.each([0n, 2n, 7n])('refuses revision %s for an event stream at 1', async (expected) => {
        await store.append(stream, 'no stream', events(2));
        expect(await conflict(expected, [event()])).toMatchObject({ expected, actual: 1n });
        expect(await idsIn(stream)).toHaveLength(2);
      });

      it('refuses a revision for an event stream that does not exist', async () => {
        expect(await conflict(0n, [event()])).toMatchObject({ actual: 'no stream' });
        expect(await store.readStream(stream)).toEqual([]);
      });

      it('accepts nearly a mebibyte', async () => {
        const text = 'x'.repeat(900_000);
        await store.append(stream, 'no stream', [event({ text })]);
        expect((await store.readStream(stream))[0]?.data).toEqual({ text });
      });

      it.each([
        ['one event of 1.01 MiB', [event({ text: 'x'.repeat(1_059_062) })]],
        ['three of half a MiB', Array.from({ length: 3 }, () => event({ text: 'x'.repeat(524_288) }))],
        ['characters that are few but long in UTF-8', [event({ text: '€'.repeat(400_000) })]],
      ])('refuses %s and stores nothing', async (_, tooMuch) => {
        await expect(store.append(stream, 'no stream', tooMuch)).rejects.toBeInstanceOf(AppendTooLarge);
        expect(await store.readStream(stream)).toEqual([]);
      });

      it('refuses an empty name, an empty type and an empty list of events', async () => {
        await expect(store.append('', 'no stream', [event()])).rejects.toThrow();
        await expect(store.append(stream, 'no stream', [event({}, '')])).rejects.toThrow();
        await expect(store.append(stream, 'no stream', [])).rejects.toThrow();
        expect(await store.readStream(stream)).toEqual([]);
      });

      it('refuses values that JSON cannot represent, and continues', async () => {
        const bad = event();
        Object.assign(bad.data, { amount: 12n });
        await expect(store.append(stream, 'no stream', [event(), bad])).rejects.toThrow(TypeError);
        expect((await store.append(stream, 'no stream', [event()])).revision).toBe(0n);
      });

      it('accepts exactly one of many appends that expect the same revision', async () => {
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => store.append(stream, 'no stream', events(2))));
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongExpectedRevision);
        expect(await idsIn(stream)).toHaveLength(2);
      });

      it('returns each of many callers the answer to its own append', async () => {
        const appends = Array.from({ length: 200 }, (_, n) => ({ eventStream: `${stream}-${n}`, given: events((n % 3) + 1) }));
        const answers = await Promise.all(appends.map(({ eventStream, given }) => store.append(eventStream, 'no stream', given)));
        for (const [n, { eventStream, given }] of appends.entries()) {
          const stored = await store.readStream(eventStream);
          expect(stored.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
          expect(answers[n]).toEqual({ revision: BigInt(given.length - 1), position: stored.at(-1)?.position });
        }
      });
    });

    describe('a repeated append (the same event ids)', () => {
      let first: NewStoredEvent[];
      let answer: Appended;

      beforeEach(async () => {
        first = events(3);
        answer = await store.append(stream, 'no stream', first);
      });

      it('returns its first answer and stores nothing', async () => {
        expect(await store.append(stream, 'no stream', first)).toEqual(answer);
        expect(await idsIn(stream)).toEqual(first.map(({ id }) => id));
      });

      it('returns its first answer even if others have appended since', async () => {
        await store.append(stream, 2n, events(2));
        expect(await store.append(stream, 'no stream', first)).toEqual(answer);
        expect(await idsIn(stream)).toHaveLength(5);
      });

      it('returns its first answer in the middle of an event stream', async () => {
        const second = events(2);
        const secondAnswer = await store.append(stream, 2n, second);
        await store.append(stream, 4n, [event()]);
        expect(await store.append(stream, 2n, second)).toEqual(secondAnswer);
        expect(await idsIn(stream)).toHaveLength(6);
      });

      it.each([0n, 1n, 9n])('is refused if it expects another revision (%s)', async (expected) => {
        expect(await conflict(expected, first)).toMatchObject({ actual: 2n });
        expect(await idsIn(stream)).toHaveLength(3);
      });

      it('is stored again if it expects the current head, which has moved', async () => {
        expect((await store.append(stream, 2n, first)).revision).toBe(5n);
        const ids = first.map(({ id }) => id);
        expect(await idsIn(stream)).toEqual([...ids, ...ids]);
      });

      it('is refused with other ids', async () => {
        expect(await conflict('no stream', events(3))).toMatchObject({ actual: 2n });
      });

      it('is refused with one id changed in the middle', async () => {
        const changed = first.map((given, n) => (n === 1 ? event() : given));
        expect(await conflict('no stream', changed)).toMatchObject({ actual: 2n });
        expect(await idsIn(stream)).toEqual(first.map(({ id }) => id));
      });

      it('may contain the first two of its three events, and returns the position of the second', async () => {
        const stored = await store.readStream(stream);
        expect(await store.append(stream, 'no stream', first.slice(0, 2))).toEqual({ revision: 1n, position: stored[1]?.position });
        expect(await idsIn(stream)).toHaveLength(3);
      });

      it('may contain the last two of its three events at the revision before them', async () => {
        expect(await store.append(stream, 0n, first.slice(1))).toEqual(answer);
        expect(await idsIn(stream)).toHaveLength(3);
      });

      it('is refused with a new event after it', async () => {
        expect(await conflict('no stream', [...first, event()])).toMatchObject({ actual: 2n });
        expect(await conflict(1n, [...first.slice(2), event()])).toMatchObject({ actual: 2n });
        expect(await idsIn(stream)).toHaveLength(3);
      });

      it('is a new event if an old id comes at the current head', async () => {
        expect((await store.append(stream, 2n, first.slice(1, 2))).revision).toBe(3n);
        expect(await idsIn(stream)).toHaveLength(4);
      });

      it('does not match the same ids in another event stream', async () => {
        const other = await store.append(`${stream}-other`, 'no stream', first);
        expect(other.revision).toBe(2n);
        expect(other.position > answer.position).toBe(true);
      });
    });

    it('stores both events if one append contains the same id twice', async () => {
      const twin = event();
      expect((await store.append(stream, 'no stream', [twin, twin])).revision).toBe(1n);
      expect(await idsIn(stream)).toEqual([twin.id, twin.id]);
    });

    it('stores two identical simultaneous appends once', async () => {
      const given = events(2);
      // A real server may not answer the second one: then it is "unavailable".
      const outcomes = await Promise.allSettled([store.append(stream, 'no stream', given), store.append(stream, 'no stream', given)]);
      const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.revision] : []));
      expect(answers.length).toBeGreaterThan(0);
      for (const revision of answers) expect(revision).toBe(1n);
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
      expect(await idsIn(stream)).toEqual(given.map(({ id }) => id));
    });

    describe('readStream', () => {
      const numbers = async (options: Parameters<EventStore['readStream']>[1]) =>
        (await store.readStream(stream, options)).map(({ revision }) => Number(revision));

      it.each([
        ['all of it', {}, [0, 1, 2, 3, 4]],
        ['from a revision on', { from: 3n }, [3, 4]],
        ['at most so many', { limit: 2 }, [0, 1]],
        ['at most so many from a revision on', { from: 1n, limit: 3 }, [1, 2, 3]],
        ['nothing from past the end', { from: 5n }, []],
        ['backwards from the end', { direction: 'backwards' }, [4, 3, 2, 1, 0]],
        ['backwards from a revision', { direction: 'backwards', from: 2n }, [2, 1, 0]],
        ['the last one', { direction: 'backwards', limit: 1 }, [4]],
        ['backwards from the head when asked from past the end', { direction: 'backwards', from: 99n, limit: 2 }, [4, 3]],
      ] as const)('gives %s', async (_, options, expected) => {
        await store.append(stream, 'no stream', events(5));
        expect(await numbers(options)).toEqual(expected);
      });

      it('is empty for an event stream that does not exist', async () => {
        expect(await store.readStream(stream)).toEqual([]);
        expect(await store.readStream(stream, { direction: 'backwards', limit: 1 })).toEqual([]);
      });

      it('returns a long event stream completely and in order', async () => {
        let last: ExpectedRevision = 'no stream';
        for (let n = 0; n < 5; n += 1) last = (await store.append(stream, last, events(250))).revision;
        expect(await numbers({})).toEqual(Array.from({ length: 1250 }, (_, n) => n));
        expect(await numbers({ direction: 'backwards' })).toEqual(Array.from({ length: 1250 }, (_, n) => 1249 - n));
      });
    });

    describe('readAll', () => {
      let before: Position | null;
      beforeEach(async () => {
        before = await store.head();
      });

      const mine = async (options: Parameters<EventStore['readAll']>[0]) =>
        (await store.readAll(options)).filter(({ eventStream }) => eventStream.startsWith(stream));

      it('returns the events of all event streams in the order of their positions', async () => {
        const a = await store.append(`${stream}-a`, 'no stream', events(2));
        const b = await store.append(`${stream}-b`, 'no stream', events(1));
        const c = await store.append(`${stream}-a`, 1n, events(1));
        const read = await mine({ after: before, limit: 100 });
        expect(read.map(({ eventStream, revision }) => `${eventStream.slice(-1)}${revision}`)).toEqual(['a0', 'a1', 'b0', 'a2']);
        expect(read.slice(1).map(({ position }) => position)).toEqual([a.position, b.position, c.position]);
        const positions = read.map(({ position }) => position);
        expect([...positions].sort()).toEqual(positions);
      });

      it('continues after a position, page by page, without gaps or repeats', async () => {
        await store.append(stream, 'no stream', events(10));
        const seen: bigint[] = [];
        for (let after = before; ; ) {
          const page = await store.readAll({ after, limit: 3 });
          expect(page.length).toBeLessThanOrEqual(3);
          seen.push(...page.filter(({ eventStream }) => eventStream === stream).map(({ revision }) => revision));
          const last = page.at(-1);
          if (!last) break;
          after = last.position;
        }
        expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => BigInt(n)));
      });

      it('ends a page early when its events have enough bytes, but never returns an empty one before the end', async () => {
        const large = () => ({ id: randomUUID(), type: 'SomethingHappened', data: { text: 'x'.repeat(100_000) }, metadata: {} });
        for (let n = 0; n < 3; n += 1) await store.append(`${stream}-${n}`, 'no stream', Array.from({ length: 10 }, large));
        const read = (options: Partial<ReadAllOptions>) => store.readAll({ after: before, limit: 100, ...options });
        expect(await read({})).toHaveLength(30);
        for (const direction of ['forwards', 'backwards'] as const) {
          const page = await read({ maxBytes: 300_000, direction, ...(direction === 'backwards' && { after: null }) });
          expect(page.length).toBeGreaterThanOrEqual(1);
          expect(page.length).toBeLessThan(30);
        }
        expect((await read({ maxBytes: 1 })).length).toBeGreaterThanOrEqual(1);
        const seen: string[] = [];
        for await (const page of logPages(store, { after: before, limit: 100, maxBytes: 500_000 })) seen.push(...page.map(({ id }) => id));
        expect(seen).toEqual((await read({})).map(({ id }) => id));
      });

      it('ends a page of matching events early too, without losing any', async () => {
        const large = () => ({ id: randomUUID(), type: 'SomethingHappened', data: { text: 'x'.repeat(100_000) }, metadata: {} });
        for (let n = 0; n < 5; n += 1)
          await store.append(stream, n === 0 ? 'no stream' : BigInt(10 * n - 1), Array.from({ length: 10 }, large));
        for (const where of [{ eventStream: stream }, { category: 'contract' }])
          for (const direction of ['forwards', 'backwards'] as const) {
            const options = { after: direction === 'forwards' ? before : null, limit: 100, direction, where };
            // Other tests wrote into the category too.
            const wanted = (await store.readAll({ ...options, limit: 10_000 })).map(({ id }) => id);
            const seen: (readonly string[])[] = [];
            for await (const page of logPages(store, { ...options, maxBytes: 500_000 })) seen.push(page.map(({ id }) => id));
            expect(seen[0]?.length).toBeLessThan(50);
            expect(seen.flat()).toEqual(wanted);
          }
      });

      it('filters by event stream, category, type, subject, correlation and time, combined, in both directions and in pages', async () => {
        const category = `c${randomUUID().replaceAll('-', '')}`;
        const marked = (n: number, metadata: NewStoredEvent['metadata']): NewStoredEvent => ({
          id: randomUUID(),
          type: n % 2 === 0 ? 'Even' : 'Odd',
          data: { n },
          metadata: { subject: `${category}-s`, time: `2026-01-0${n + 1}T00:00:00.000Z`, ...metadata },
        });
        const correlation = randomUUID();
        await store.append(`${category}-a`, 'no stream', [marked(0, {}), marked(1, { $correlationId: correlation })]);
        await store.append(`${category}-b`, 'no stream', [marked(2, { subject: 'other' }), marked(3, {}), marked(4, {})]);
        await store.append(category, 'no stream', [marked(5, { $correlationId: correlation })]);
        await store.append(`${category}x-a`, 'no stream', [marked(6, {})]);
        const found = async (where: EventFilter, limit = 100, direction: 'forwards' | 'backwards' = 'forwards') =>
          (await store.readAll({ after: null, limit, direction, where })).map(({ data }) => data.n);
        expect(await found({ eventStream: `${category}-b` })).toEqual([2, 3, 4]);
        expect(await found({ category })).toEqual([0, 1, 2, 3, 4, 5]);
        expect(await found({ subject: `${category}-s`, exclude: [category] })).toEqual([6]);
        expect(await found({ category, types: ['Odd', 'Never'] })).toEqual([1, 3, 5]);
        expect(await found({ subject: `${category}-s` })).toEqual([0, 1, 3, 4, 5, 6]);
        expect(await found({ correlationId: correlation })).toEqual([1, 5]);
        expect(await found({ category, from: '2026-01-02T00:00:00.000Z', to: '2026-01-04T00:00:00.000Z' })).toEqual([1, 2, 3]);
        expect(await found({ category, subject: `${category}-s`, types: ['Even'] }, 1, 'backwards')).toEqual([4]);
        expect(await found({ eventStream: `${category}-b` }, 2, 'backwards')).toEqual([4, 3]);
        expect(await found({ category: 'nothing of this name' })).toEqual([]);
        const paged: unknown[] = [];
        let after: Position | null = null;
        for (;;) {
          const page: StoredEvent[] = await store.readAll({ after, limit: 2, where: { category } });
          paged.push(...page.map(({ data }) => data.n));
          after = page.at(-1)?.position ?? null;
          if (page.length < 2) break;
        }
        expect(paged).toEqual([0, 1, 2, 3, 4, 5]);
      });

      it('reads backwards from the end, and from a position', async () => {
        await store.append(stream, 'no stream', events(4));
        const back = await mine({ after: null, limit: 3, direction: 'backwards' });
        expect(back.map(({ revision }) => revision)).toEqual([3n, 2n, 1n]);
        const further = await mine({ after: back[2]?.position ?? null, limit: 1, direction: 'backwards' });
        expect(further.map(({ revision }) => revision)).toEqual([0n]);
      });

      it('is empty after the head', async () => {
        const { position } = await store.append(stream, 'no stream', events(1));
        expect(await mine({ after: position, limit: 10 })).toEqual([]);
      });

      it('refuses an invalid position', async () => {
        await store.append(stream, 'no stream', events(1));
        await expect(store.readAll({ after: 'nowhere' as Position, limit: 10 })).rejects.toThrow();
      });
    });

    describe('subscribe', () => {
      let stopping: AbortController;
      let before: Position | null;
      beforeEach(async () => {
        stopping = new AbortController();
        before = await store.head();
      });
      afterEach(() => stopping.abort());

      /** Collects the items of a subscription in the background. */
      const collect = (options: Partial<SubscribeOptions> = {}) => {
        const items: SubscriptionItem[] = [];
        const subscription = store.subscribe({ after: before, filter: { prefixes: [stream] }, signal: stopping.signal, ...options });
        const ended = (async () => {
          for await (const item of subscription) items.push(item);
        })();
        const found = () => items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
        const caughtUp = () => items.filter(({ kind }) => kind === 'caughtUp').length;
        return { items, ended, found, caughtUp, labels: () => found().map((e) => `${e.eventStream.slice(stream.length)}${e.revision}`) };
      };

      it('delivers events after the checkpoint, reports that it has caught up, then delivers new ones', async () => {
        const first = await store.append(stream, 'no stream', events(2));
        await store.append(stream, 1n, events(2));
        const seen = collect({ after: first.position });
        await eventually(() => seen.caughtUp() === 1);
        expect(seen.labels()).toEqual(['2', '3']);
        expect(seen.items.map(({ kind }) => kind)).toEqual(['event', 'event', 'caughtUp']);
        await store.append(stream, 3n, events(1));
        await eventually(() => seen.labels().length === 3);
        expect(seen.labels()).toEqual(['2', '3', '4']);
      });

      it('catches up at once on an empty log, and waits for the first event', async () => {
        const seen = collect();
        await eventually(() => seen.caughtUp() === 1);
        expect(seen.items).toHaveLength(1);
        await store.append(stream, 'no stream', events(1));
        await eventually(() => seen.labels().length === 1);
      });

      it('reports with "caught up" a position from which another subscription continues', async () => {
        await store.append(stream, 'no stream', events(3));
        const one = collect();
        const item = await eventually(() => one.items.find(({ kind }) => kind === 'caughtUp'));
        if (item.kind !== 'caughtUp') throw new Error('unreachable');
        const other = collect({ after: item.position });
        await eventually(() => other.caughtUp() > 0);
        expect(other.labels()).toEqual([]);
        await store.append(stream, 2n, events(1));
        await eventually(() => other.labels().length === 1);
        expect(other.labels()).toEqual(['3']);
      });

      it('filters by prefix', async () => {
        const seen = collect({ filter: { prefixes: [`${stream}-a`, `${stream}-b%`] } });
        await store.append(`${stream}-a1`, 'no stream', events(1));
        await store.append(`${stream}-bx`, 'no stream', events(1));
        await store.append(`${stream}-b%`, 'no stream', events(1));
        await store.append(`${stream}`, 'no stream', events(1));
        await store.append(`${stream}-a2`, 'no stream', events(1));
        await eventually(() => seen.labels().length === 3);
        expect(seen.labels()).toEqual(['-a10', '-b%0', '-a20']);
      });

      it('filters by type', async () => {
        const [wanted, other] = [`Wanted${randomUUID()}`, `Other${randomUUID()}`];
        const seen = collect({ filter: { types: [wanted] } });
        await store.append(stream, 'no stream', [event({}, other), event({}, wanted), event({}, other), event({}, wanted)]);
        await eventually(() => seen.labels().length === 2);
        expect(seen.labels()).toEqual(['1', '3']);
      });

      it('delivers an event that matches a prefix or a type, and every event without a filter', async () => {
        const type = `Wanted${randomUUID()}`;
        const either = collect({ filter: { prefixes: [`${stream}-a`], types: [type] } });
        const all = collect({ filter: {} });
        await store.append(`${stream}-a`, 'no stream', events(1));
        await store.append(`${stream}-b`, 'no stream', [event(), event({}, type)]);
        await eventually(() => either.labels().length === 2);
        expect(either.labels()).toEqual(['-a0', '-b1']);
        await eventually(() => all.found().filter(({ eventStream }) => eventStream.startsWith(stream)).length === 3);
      });

      it('neither skips nor repeats events under concurrent appends, even for a slow consumer', async () => {
        const expected = new Set<string>();
        const seen: string[] = [];
        const slow = (async () => {
          for await (const item of store.subscribe({ after: before, filter: { prefixes: [stream] }, signal: stopping.signal })) {
            if (item.kind !== 'event') continue;
            seen.push(`${item.event.eventStream}@${item.event.revision}`);
            if (seen.length % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
        })();
        const appender = async (n: number) => {
          for (let at: ExpectedRevision = 'no stream', i = 0; i < 25; i += 1) {
            const eventStream = `${stream}-${n}`;
            at = (await store.append(eventStream, at, events(2))).revision;
            expected.add(`${eventStream}@${at - 1n}`).add(`${eventStream}@${at}`);
          }
        };
        await Promise.all(Array.from({ length: 20 }, (_, n) => appender(n)));
        await eventually(() => seen.length >= expected.size);
        stopping.abort();
        await slow;
        expect(seen).toHaveLength(expected.size);
        expect(new Set(seen)).toEqual(expected);
      });

      it('reports "caught up" again only after a new event', async () => {
        const seen = collect();
        await store.append(stream, 'no stream', events(1));
        await eventually(() => seen.labels().length === 1 && seen.items.at(-1)?.kind === 'caughtUp');
        const positions = seen.items.flatMap((item) => (item.kind === 'caughtUp' ? [item.position] : []));
        expect(new Set(positions).size).toBe(positions.length);
      });

      it('ends when its signal aborts: while it waits, while it delivers, and before it starts', async () => {
        const waiting = collect();
        await eventually(() => waiting.caughtUp() === 1);
        await store.append(stream, 'no stream', events(200));
        let delivered = 0;
        const stop = new AbortController();
        for await (const item of store.subscribe({ after: before, signal: stop.signal })) {
          if (item.kind === 'event') delivered += 1;
          if (delivered === 2) stop.abort();
        }
        expect(delivered).toBe(2);
        stopping.abort();
        await waiting.ended;
        for await (const _ of store.subscribe({ after: null, signal: stop.signal })) expect.unreachable();
      });

      it('can be stopped by its consumer at any time', async () => {
        await store.append(stream, 'no stream', events(3));
        for await (const item of store.subscribe({ after: before, signal: stopping.signal })) if (item.kind === 'event') break;
        expect((await store.append(stream, 2n, events(1))).revision).toBe(3n);
      });
    });

    describe('retention', () => {
      it('hides older events, keeps newer ones, and continues the revisions', async () => {
        await store.append(stream, 'no stream', events(2));
        await store.append(`${stream}-kept`, 'no stream', events(1));
        await store.setRetention(stream, 2);
        expect(await idsIn(stream)).toHaveLength(2);
        await under.pass(3);
        expect(await store.readStream(stream)).toEqual([]);
        expect((await store.append(stream, 1n, events(1))).revision).toBe(2n);
        expect((await store.readStream(stream)).map(({ revision }) => revision)).toEqual([2n]);
        expect((await store.readStream(stream, { direction: 'backwards' })).map(({ revision }) => revision)).toEqual([2n]);
        expect(await idsIn(`${stream}-kept`)).toHaveLength(1);
      });

      if (!keepsExpiredInLog)
        it('hides them from the whole log and from subscriptions too', async () => {
          const before = await store.head();
          await store.append(stream, 'no stream', events(2));
          await store.setRetention(stream, 2);
          await under.pass(3);
          const { position } = await store.append(`${stream}-other`, 'no stream', events(1));
          const all = await store.readAll({ after: before, limit: 1 });
          expect(all.map((stored) => stored.position)).toEqual([position]);
          const stop = new AbortController();
          for await (const item of store.subscribe({ after: before, filter: { prefixes: [stream] }, signal: stop.signal })) {
            if (item.kind === 'event') expect(item.event.position).toBe(position);
            else stop.abort();
          }
        });
    });

    describe('close', () => {
      it('finishes earlier calls', async () => {
        const pending = Promise.all(Array.from({ length: 50 }, (_, n) => store.append(`${stream}-${n}`, 'no stream', events(1))));
        await store.close();
        expect(await pending).toHaveLength(50);
      });

      it('refuses later calls, and may be repeated', async () => {
        await store.close();
        await store.close();
        await expect(store.append(stream, 'no stream', events(1))).rejects.toBeInstanceOf(StoreUnavailable);
        await expect(store.readStream(stream)).rejects.toBeInstanceOf(StoreUnavailable);
        await expect(store.head()).rejects.toBeInstanceOf(StoreUnavailable);
      });
    });
  });
};
