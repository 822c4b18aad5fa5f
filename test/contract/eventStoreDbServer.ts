import { randomUUID } from 'node:crypto';
import {
  ANY,
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  streamNameFilter,
} from '@eventstore/db-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendRequest } from '../../src/stores/eventstoredb/appendRequest.ts';
import { serverAddress } from '../../src/stores/eventstoredb/connectionString.ts';
import { loadDriver } from '../../src/stores/eventstoredb/driver.ts';
import { Session } from '../../src/stores/eventstoredb/session.ts';
import { eventually } from '../eventually.ts';

const event = (id = randomUUID(), text = '') => jsonEvent({ id, type: 'SomethingHappened', data: { text }, metadata: {} });
const MEBIBYTE = 1_048_576;

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  );

const collected = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/**
 * Answers of a real EventStoreDB 23.10 to the client, for the fake and for real servers: the fake must answer the same. Promises of the event-store
 * port are in its own suite.
 */
export const eventStoreDbFacts = (name: string, url: () => string): void => {
  describe(`${name} answers as EventStoreDB does`, () => {
    let client: EventStoreDBClient;
    let stream: string;
    beforeEach(() => {
      client = EventStoreDBClient.connectionString(url());
      stream = `facts-${randomUUID()}`;
    });

    const append = (events: ReturnType<typeof event>[], expectedRevision: AppendExpectedRevision) =>
      client.appendToStream(stream, events, { expectedRevision });
    const revisions = async () => (await collected(client.readStream(stream))).map((read) => read.event?.revision);

    describe('append', () => {
      it('returns a revision and a position of two equal numbers: those of the last event in $all', async () => {
        const answer = await append([event(), event()], NO_STREAM);
        expect(answer).toMatchObject({ success: true, nextExpectedRevision: 1n });
        expect(answer.position?.commit).toBe(answer.position?.prepare);
        const last = (await collected(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 100 }))).find(
          (read) => read.event?.streamId === stream,
        );
        expect(last?.event).toMatchObject({ revision: 1n, position: answer.position });
      });

      it('accepts any, stream_exists and the right number', async () => {
        await append([event()], ANY);
        await append([event()], STREAM_EXISTS);
        expect((await append([event()], 1n)).nextExpectedRevision).toBe(2n);
      });

      it.each([
        ['no_stream', NO_STREAM],
        ['a number too low', 0n],
        ['a number too high', 7n],
      ] as const)('refuses %s and returns the current revision, without message and code', async (_, expected) => {
        await append([event(), event()], NO_STREAM);
        const error = await failureOf(append([event()], expected));
        expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n, message: '' });
        expect(error).toHaveProperty('code', undefined);
      });

      it('returns no_stream for a missing event stream', async () => {
        expect(await failureOf(append([event()], 0n))).toMatchObject({ type: 'wrong-expected-version', actualVersion: 'no_stream' });
      });

      it('returns "ok" for an empty list of events, and creates no event stream', async () => {
        expect(await append([], NO_STREAM)).toMatchObject({ success: true, nextExpectedRevision: 0n });
        expect(await failureOf(revisions())).toMatchObject({ type: 'stream-not-found' });
      });

      it('does not name the problem of an empty name or type', async () => {
        const nameless = client.appendToStream('', event(), { expectedRevision: NO_STREAM });
        expect(await failureOf(nameless)).toMatchObject({ type: 'unknown', message: 'Could not recognize BadRequest' });
        const typeless = client.appendToStream(stream, { ...event(), type: '' }, { expectedRevision: NO_STREAM });
        expect(await failureOf(typeless)).toMatchObject({ type: 'unknown', message: 'Could not recognize BadRequest' });
      });

      it.each([
        ['one event of 1.01 MiB', [1.01]],
        ['three of half a MiB', [0.5, 0.5, 0.5]],
      ])('refuses %s', async (_, sizes) => {
        const large = sizes.map((size) => event(randomUUID(), 'x'.repeat(size * MEBIBYTE)));
        expect(await failureOf(append(large, NO_STREAM))).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: MEBIBYTE });
      });

      it('refuses 20 MiB with RESOURCE_EXHAUSTED', async () => {
        // Not with the client: its failed write rejects a promise that no caller holds.
        const driver = await loadDriver();
        const address = serverAddress(url());
        const session = new Session(driver, address, address.hosts[0] ?? '');
        const call = session.streams.batchAppend(...session.callArguments());
        const failure = new Promise((resolve) => call.once('error', resolve));
        const fields = [randomUUID(), 'SomethingHappened', '{}', JSON.stringify('x'.repeat(20 * MEBIBYTE))];
        const request = appendRequest(driver, { eventStream: stream, expected: 'no stream', fields }, Date.now());
        const correlation = new driver.shared.UUID();
        correlation.setString(randomUUID());
        call.write(request.setCorrelationId(correlation));
        expect(await failure).toMatchObject({ code: 8 });
        session.retire();
      });
    });

    describe('a repeated append', () => {
      const ids = () => [randomUUID(), randomUUID(), randomUUID()] as const;
      let given: ReturnType<typeof ids>;
      beforeEach(async () => {
        given = ids();
        await append(
          given.map((id) => event(id)),
          NO_STREAM,
        );
      });

      it.each([
        ['any', ANY],
        ['stream_exists', STREAM_EXISTS],
      ] as const)('returns its first answer with %s, even if the head has moved', async (_, expected) => {
        const again = () =>
          append(
            given.map((id) => event(id)),
            expected,
          );
        expect((await again()).nextExpectedRevision).toBe(2n);
        await append([event()], 2n);
        expect((await again()).nextExpectedRevision).toBe(2n);
        expect(await revisions()).toEqual([0n, 1n, 2n, 3n]);
      });

      it('returns the revision of its last id with any, if it is only a part', async () => {
        expect((await append([event(given[2])], ANY)).nextExpectedRevision).toBe(2n);
        expect((await append([event(given[0]), event(given[1])], ANY)).nextExpectedRevision).toBe(1n);
        expect(await revisions()).toHaveLength(3);
      });

      it('is refused if it is partly new', async () => {
        const wrong = { type: 'wrong-expected-version', actualVersion: 2n };
        expect(await failureOf(append([event(given[0]), event(given[1]), event()], ANY))).toMatchObject(wrong);
        expect(await failureOf(append([event(given[2]), event()], 1n))).toMatchObject(wrong);
      });

      it('is never confirmed with its ids in another order and any', async () => {
        const appending = append([event(given[2]), event(given[0])], ANY);
        appending.catch(() => undefined);
        const silence = new Promise((resolve) => setTimeout(() => resolve('silence'), 500));
        expect(await Promise.race([appending, silence])).toBe('silence');
      });

      it('is answered once if two are in flight on one client; the other times out; nothing is doubled', async () => {
        const twin = event();
        const outcomes = await Promise.allSettled(
          [1, 2].map(() => client.appendToStream(stream, twin, { expectedRevision: 2n, deadline: 700 })),
        );
        expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: 'deadline-exceeded' });
        expect(await revisions()).toHaveLength(4);
      });
    });

    describe('read', () => {
      beforeEach(() => append([event(), event(), event()], NO_STREAM));

      it('is empty after the end, and starts at the head backwards', async () => {
        expect(await collected(client.readStream(stream, { fromRevision: 9n }))).toEqual([]);
        const back = await collected(client.readStream(stream, { fromRevision: 9n, direction: BACKWARDS, maxCount: 1 }));
        expect(back.map((read) => read.event?.revision)).toEqual([2n]);
      });

      it('reports an unknown event stream as missing', async () => {
        expect(await failureOf(collected(client.readStream(`${stream}-not`)))).toMatchObject({ type: 'stream-not-found' });
      });

      it('refuses to read zero events, and from an invalid position', async () => {
        expect(await failureOf(collected(client.readStream(stream, { maxCount: 0 })))).toMatchObject({ type: 'unknown', code: 2 });
        const nowhere = client.readAll({ fromPosition: { commit: 1n, prepare: 1n }, maxCount: 1 });
        expect(await failureOf(collected(nowhere))).toMatchObject({ type: 'unknown', code: 2 });
      });

      it('returns nothing forwards from beyond the end of the log, and refuses to read backwards from there', async () => {
        const beyond = { commit: 99_999_999_999_999n, prepare: 99_999_999_999_999n };
        expect(await collected(client.readAll({ fromPosition: beyond, maxCount: 1 }))).toEqual([]);
        const backwards = client.readAll({ fromPosition: beyond, direction: BACKWARDS, maxCount: 1 });
        expect(await failureOf(collected(backwards))).toMatchObject({ type: 'unknown', code: 2 });
      });

      it('returns nothing backwards from a position inside the log where no event starts', async () => {
        const within = client.readAll({ fromPosition: { commit: 1n, prepare: 1n }, direction: BACKWARDS, maxCount: 1 });
        expect(await collected(within)).toEqual([]);
      });

      it("includes the server's own events", async () => {
        const all = await collected(client.readAll({ fromPosition: START, maxCount: 50 }));
        expect(all.some((read) => read.event?.streamId.startsWith('$'))).toBe(true);
      });
    });

    describe('subscribe', () => {
      it('continues after a revision, reports when it has caught up, and waits for a missing event stream', async () => {
        await append([event(), event()], NO_STREAM);
        const [seen, late]: [unknown[], unknown[]] = [[], []];
        let caughtUp = 0;
        const following = client.subscribeToStream(stream, { fromRevision: 0n });
        following.on('data', (read) => seen.push(read.event?.revision)).on('caughtUp', () => (caughtUp += 1));
        const waiting = client.subscribeToStream(`${stream}-late`);
        waiting.on('data', (read) => late.push(read.event?.revision));
        await eventually(() => caughtUp === 1 && seen.length === 1);
        await append([event()], 1n);
        await client.appendToStream(`${stream}-late`, event(), { expectedRevision: NO_STREAM });
        await eventually(() => expect([seen, late]).toEqual([[1n, 2n], [0n]]));
        await Promise.all([following.unsubscribe(), waiting.unsubscribe()]);
      });

      it('delivers all events that match a prefix, in order, with checkpoints in between', async () => {
        await append([event(), event()], NO_STREAM);
        const seen: unknown[] = [];
        let checkpoints = 0;
        const filter = streamNameFilter({
          prefixes: [stream],
          checkpointInterval: 1,
          checkpointReached: () => {
            checkpoints += 1;
          },
        });
        const following = client.subscribeToAll({ fromPosition: START, filter });
        following.on('data', (read) => seen.push(read.event?.revision));
        await eventually(() => expect(seen).toEqual([0n, 1n]));
        expect(checkpoints).toBeGreaterThan(0);
        await following.unsubscribe();
      });
    });

    describe('metadata and deletion', () => {
      it('apply $maxCount and $tb at once, continue the revisions, and give the metadata a log position for a revision', async () => {
        await append([event(), event(), event()], NO_STREAM);
        await client.setStreamMetadata(stream, { maxCount: 2 });
        expect(await revisions()).toEqual([1n, 2n]);
        await client.setStreamMetadata(stream, { truncateBefore: 2 });
        expect(await revisions()).toEqual([2n]);
        expect((await append([event()], 2n)).nextExpectedRevision).toBe(3n);
        expect((await client.getStreamMetadata(stream)).metastreamRevision).toBeGreaterThan(1n);
      });

      it('keep hidden events in the whole log, with the metadata that hide them and tombstones', async () => {
        const read = async () =>
          (await collected(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 50 }))).map(({ event: one }) => one);
        const typesIn = async (name: string) => (await read()).filter((one) => one?.streamId === name).map((one) => one?.type);
        await append([event(), event()], NO_STREAM);
        await client.deleteStream(stream);
        expect(await typesIn(stream)).toEqual(['SomethingHappened', 'SomethingHappened']);
        expect(await typesIn(`$$${stream}`)).toEqual(['$metadata']);
        await client.appendToStream(`${stream}-gone`, event(), { expectedRevision: NO_STREAM });
        await client.tombstoneStream(`${stream}-gone`);
        expect(await typesIn(`${stream}-gone`)).toEqual(['$streamDeleted', 'SomethingHappened']);
      });

      it('allow appends to a deleted event stream, but not after a tombstone', async () => {
        await append([event(), event()], NO_STREAM);
        expect(await failureOf(client.deleteStream(stream, { expectedRevision: 7n }))).toMatchObject({ code: 9 });
        await client.deleteStream(stream, { expectedRevision: 1n });
        expect(await failureOf(revisions())).toMatchObject({ type: 'stream-not-found' });
        expect((await append([event()], NO_STREAM)).nextExpectedRevision).toBe(2n);
        expect(await revisions()).toEqual([2n]);
        await client.tombstoneStream(stream);
        const error = await failureOf(append([event()], ANY));
        expect(error).toMatchObject({ type: 'stream-deleted', message: '' });
      });
    });
  });
};
