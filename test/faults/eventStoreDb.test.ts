import { randomUUID } from 'node:crypto';
import { setTimeout as electionTime } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Logger, silentLogger } from '../../src/logger.ts';
import { type EventStore, type ExpectedRevision, type NewStoredEvent, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { ConnectionStringRefused } from '../../src/stores/eventstoredb/refusal.ts';
import { eventually } from '../eventually.ts';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { Appender } from './appender.ts';
import { recovered } from './recovery.ts';

/** Short, so that time-outs happen within the test. */
const TIMEOUT = 1_000;

const events = (count = 1): NewStoredEvent[] =>
  Array.from({ length: count }, (_, n) => ({ id: randomUUID(), type: 'SomethingHappened', data: { n }, metadata: { subject: 'someone' } }));

const rememberingLogger = () => {
  const messages: string[] = [];
  const say = (fields: object, message: string) => void messages.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { ...silentLogger, info: say, warn: say, error: say };
  return { logger, messages };
};

describe('EventStoreDB under faults', () => {
  let fake: FakeEventStoreDb;
  let store: EventStore;
  let stream: string;

  beforeAll(async () => {
    fake = await startEventStoreDb();
  });
  afterAll(() => fake.stop());

  const open = async (logger: Logger = silentLogger): Promise<EventStore> => {
    const opened = await openEventStoreDb({ url: fake.url, clock: systemClock, timeoutMilliseconds: TIMEOUT, logger });
    onTestFinished(() => opened.close());
    return opened;
  };

  beforeEach(async () => {
    stream = `faults-${randomUUID()}`;
    store = await openEventStoreDb({ url: fake.url, clock: systemClock, timeoutMilliseconds: TIMEOUT });
  });
  afterEach(async () => {
    await fake.heal();
    await store.close();
  });

  const idsIn = async (eventStream: string) => (await store.readStream(eventStream)).map(({ id }) => id);

  it('waits at the start for a server that refuses connections, logs so without the password, and then runs', async () => {
    await fake.faults({ refuse: true });
    const { logger, messages } = rememberingLogger();
    const url = fake.url.replace('esdb://', 'esdb://someone:verysecret@');
    const opening = openEventStoreDb({ url, clock: systemClock, timeoutMilliseconds: TIMEOUT, logger });
    await eventually(() => messages.some((message) => message.startsWith('waiting for the event store')));
    await fake.faults({ refuse: false });
    const late = await opening;
    onTestFinished(() => late.close());
    expect((await late.append(stream, 'no stream', events())).revision).toBe(0n);
    expect(messages.join()).not.toContain('verysecret');
    expect(messages.at(-1)).toContain('available again');
  });

  it('stops waiting at the start when aborted', async () => {
    await fake.faults({ refuse: true });
    const stopping = new AbortController();
    const opening = openEventStoreDb({ url: fake.url, clock: systemClock, timeoutMilliseconds: TIMEOUT, signal: stopping.signal });
    stopping.abort();
    await expect(opening).rejects.toBe(stopping.signal.reason);
  });

  it.each([
    ['drops the connection after the commit', { dropAfterCommit: 1 }],
    ['drops the connection before the commit', { dropBeforeCommit: 1 }],
    ['ends the call without an error before the commit', { endCleanly: 1 }],
    ['ends the call without an error after the commit', { endAfterCommit: 1 }],
    ['takes the append and never answers', { ignoreAppends: 1 }],
    ['answers with an unknown status', { appendErrors: 1, appendError: { code: 2 } }],
    ['aborts', { appendErrors: 1, appendError: { code: 10 } }],
    ['is shutting down', { appendErrors: 1, appendError: { code: 14, message: 'Server is shutting down' } }],
    ['answers NotLeader', { notLeaderTimes: 1, notLeader: { host: '127.0.0.1', port: 1 } }],
    ['answers NotLeader and does not know who is', { notLeaderTimes: 1, notLeader: {} }],
  ] as const)('repeats an append when the server %s, and stores it once', async (what, faults) => {
    const first = await store.append(stream, 'no stream', events(2));
    const given = events(3);
    await fake.faults(faults);
    const appended = await recovered(`a server that ${what}`, () => store.append(stream, first.revision, given));
    const stored = await store.readStream(stream, { from: 2n });
    expect(stored.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
    expect(appended).toEqual({ revision: 4n, position: stored[2]?.position });
  });

  it('reports a conflict if an unanswered append was not stored and another one was', async () => {
    await store.append(stream, 'no stream', events());
    const other = await open();
    await fake.faults({ ignoreAppends: 1 });
    const losing = store.append(stream, 0n, events()).catch((error: unknown) => error);
    await eventually(async () => (await fake.state()).faults.ignoreAppends === 0);
    await other.append(stream, 0n, events());
    expect(await losing).toMatchObject({ name: 'WrongExpectedRevision', actual: 1n });
  });

  it('is "unavailable" while the server is gone, logs so once, and continues afterwards without storing a repetition twice', async () => {
    const { logger, messages } = rememberingLogger();
    const logged = await open(logger);
    await fake.faults({ refuse: true });
    const given = events(2);
    await expect(logged.append(stream, 'no stream', given)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(logged.readStream(stream)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(logged.head()).rejects.toBeInstanceOf(StoreUnavailable);
    await fake.faults({ refuse: false });
    await recovered('a server that is gone', () => logged.append(stream, 'no stream', given));
    expect(await idsIn(stream)).toEqual(given.map(({ id }) => id));
    expect(messages.filter((message) => message.includes('event store unavailable; retrying'))).toHaveLength(1);
    expect(messages.filter((message) => message.includes('available again'))).toHaveLength(1);
  });

  it.each([
    ['silent: it takes requests and answers none', () => fake.faults({ hang: true }), () => fake.faults({ hang: false })],
    ['stopped with its connections open', async () => fake.pause(), async () => fake.resume()],
    ['slower than the time-out', () => fake.faults({ slow: 2 * TIMEOUT }), () => fake.faults({ slow: 0 })],
    ['not ready', () => fake.faults({ notReady: true }), () => fake.faults({ notReady: false })],
  ])('is "unavailable" while the server is %s, and continues afterwards', async (what, breakIt, mendIt) => {
    await store.append(stream, 'no stream', events());
    await breakIt();
    const given = events(2);
    const outcomes = await Promise.allSettled([store.append(stream, 0n, given), store.head(), store.readAll({ after: null, limit: 1 })]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
    await mendIt();
    expect((await recovered(`a server that is ${what}`, () => store.append(stream, 0n, given))).revision).toBe(2n);
    expect((await idsIn(stream)).slice(1)).toEqual(given.map(({ id }) => id));
  });

  it('does not affect one store of a process when the connection of another is cut', async () => {
    const second = await startEventStoreDb();
    onTestFinished(() => second.stop());
    const other = await openEventStoreDb({ url: second.url, clock: systemClock, timeoutMilliseconds: TIMEOUT });
    onTestFinished(() => other.close());
    await second.faults({ slow: TIMEOUT / 2 });
    const pending = Array.from({ length: 10 }, (_, n) => other.append(`${stream}-${n}`, 'no stream', events()));
    await fake.faults({ dropAfterCommit: 1 });
    expect((await store.append(stream, 'no stream', events())).revision).toBe(0n);
    // The client's own appends would all be rejected here, and their late answers would end the process.
    expect((await Promise.all(pending)).map(({ revision }) => revision)).toEqual(Array.from({ length: 10 }, () => 0n));
  });

  it('reports conflicts whatever the connection string says about failed appends', async () => {
    const url = `${fake.url}&throwOnAppendFailure=false&defaultDeadline=1000`;
    const lenient = await openEventStoreDb({ url, clock: systemClock, timeoutMilliseconds: TIMEOUT });
    onTestFinished(() => lenient.close());
    await lenient.append(stream, 'no stream', events(2));
    await expect(lenient.append(stream, 'no stream', events())).rejects.toMatchObject({ name: 'WrongExpectedRevision', actual: 1n });
  });

  it.each([
    ['mongodb://localhost', /esdb:\/\//],
    ['esdb://someone:verysecret@localhost?tls=maybe', /not a valid connection string/],
    ['esdb://someone:verysecret@localhost?pasword=verysecret', /option "pasword"/],
    ['esdb://localhost?tlsVerifyCert=false', /tlsCAFile/],
    ['esdb://localhost?tls=true&tlsCAFile=/nowhere.pem', /certificate file/],
  ])('refuses the connection string %s with a sentence without secrets', async (url, sentence) => {
    const error: unknown = await openEventStoreDb({ url, clock: systemClock }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionStringRefused);
    expect(String(error)).toMatch(sentence);
    expect(String(error)).not.toContain('verysecret');
  });

  it('is slow, but available, if the server answers within the time-out', async () => {
    await fake.faults({ slow: TIMEOUT / 4 });
    const appends = await Promise.all(Array.from({ length: 20 }, (_, n) => store.append(`${stream}-${n}`, 'no stream', events(2))));
    expect(appends.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, () => 1n));
    expect(await store.readStream(`${stream}-7`)).toHaveLength(2);
  });

  it('answers other appends of a connection if one is never answered', async () => {
    await fake.faults({ ignoreAppends: 1, slow: TIMEOUT / 8 });
    const appends = await Promise.all(Array.from({ length: 50 }, (_, n) => store.append(`${stream}-${n}`, 'no stream', events())));
    expect(appends).toHaveLength(50);
    for (let n = 0; n < 50; n += 7) expect(await store.readStream(`${stream}-${n}`)).toHaveLength(1);
  });

  it('asks for other credentials as long as they are refused', async () => {
    await fake.faults({ accessDenied: 1_000 });
    await expect(store.append(stream, 'no stream', events())).rejects.toThrow(/refuses the credentials/);
    await fake.faults({ accessDenied: 0 });
    await store.append(stream, 'no stream', events());
  });

  it('neither loses nor doubles events of 16 appenders while connections drop and the port closes and opens', async () => {
    const before = await store.head();
    const seen: string[] = [];
    const stopping = new AbortController();
    const following = (async () => {
      for await (const item of store.subscribe({ after: before, filter: { prefixes: [stream] }, signal: stopping.signal }))
        if (item.kind === 'event') seen.push(item.event.id);
    })();
    const appenders = Array.from({ length: 16 }, (_, n) => new Appender(store, `${stream}-${n}`, () => events(2)));
    const acknowledged = (): string[] => appenders.flatMap((appender) => appender.acknowledged);
    for (let round = 0; round < 4; round += 1) {
      const reached = acknowledged().length + 200;
      await eventually(() => acknowledged().length > reached);
      if (round === 1) {
        await fake.faults({ refuse: true });
        await new Promise((resolve) => setTimeout(resolve, 2 * TIMEOUT));
        await fake.faults({ refuse: false });
      } else if (round === 2) await fake.faults({ dropAfterCommit: 5, endAfterCommit: 5 });
      else await fake.drop();
    }
    await Promise.all(appenders.map((appender) => appender.stop()));
    const ids = acknowledged();
    await eventually(() => expect(seen).toHaveLength(ids.length));
    expect(new Set(seen)).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(ids.length);
    stopping.abort();
    await following;
  });

  describe('a live subscription', () => {
    /** Appends `count` events by 16 callers while one follows; returns the events in the order received, and the rate. */
    const followed = async (count: number) => {
      const prefix = `${stream}-${randomUUID()}`;
      const after = await store.head();
      const stopping = new AbortController();
      const seen: string[] = [];
      const begun = performance.now();
      const appender = async (n: number) => {
        for (let at: ExpectedRevision = 'no stream', i = 0; i < count / 16; i += 1)
          at = (await store.append(`${prefix}-${n}`, at, events())).revision;
      };
      const appending = Promise.all(Array.from({ length: 16 }, (_, n) => appender(n)));
      for await (const item of store.subscribe({ after, filter: { prefixes: [prefix] }, signal: stopping.signal })) {
        if (item.kind === 'event') seen.push(`${item.event.eventStream}@${item.event.revision}`);
        if (seen.length === count) stopping.abort();
      }
      await appending;
      return { seen, rate: (count / (performance.now() - begun)) * 1000 };
    };

    it('neither loses nor repeats events if the server drops it every 500 events; its rate is printed', { timeout: 60_000 }, async () => {
      const count = 1_000;
      await followed(160);
      const whole = await followed(count);
      await fake.faults({ dropLiveEvery: 500 });
      const dropped = await followed(count);
      expect(new Set(dropped.seen).size).toBe(count);
      expect(dropped.seen).toHaveLength(count);
      console.log(`followed ${Math.round(whole.rate)} events/s without drops, ${Math.round(dropped.rate)} with one every 500 events`);
    });

    it('neither loses nor repeats events if the server drops it at every first event', async () => {
      await fake.faults({ dropLiveEvery: 1 });
      const after = await store.head();
      const stopping = new AbortController();
      const seen: bigint[] = [];
      let next: ExpectedRevision = 'no stream';
      for await (const item of store.subscribe({ after, filter: { prefixes: [stream] }, signal: stopping.signal })) {
        if (item.kind === 'event') seen.push(item.event.revision);
        // At the head: it waits for news when the next event comes.
        else if (seen.length < 10) {
          await eventually(async () => expect((await fake.state()).live).toBe(1));
          next = (await store.append(stream, next, events())).revision;
        } else stopping.abort();
      }
      expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => BigInt(n)));
      expect((await fake.state()).liveDrops).toBeGreaterThan(0);
    });

    it('continues if the server ends it without an error', async () => {
      await fake.faults({ endSubscriptions: 3 });
      expect(new Set((await followed(160)).seen).size).toBe(160);
    });

    it('is replaced if it goes silent while it waits', async () => {
      const stopping = new AbortController();
      const seen: string[] = [];
      const following = (async () => {
        for await (const item of store.subscribe({ after: await store.head(), signal: stopping.signal }))
          if (item.kind === 'event') seen.push(item.event.id);
      })();
      await store.append(stream, 'no stream', events());
      await eventually(() => seen.length === 1);
      await fake.faults({ hang: true });
      await expect(store.append(stream, 0n, events())).rejects.toBeInstanceOf(StoreUnavailable);
      await fake.faults({ hang: false });
      await store.append(stream, 0n, events());
      await eventually(() => seen.length === 2);
      stopping.abort();
      await following;
    });

    it('shares one call of the server among all consumers, and leaves none when the store is closed', async () => {
      // A separate server: connections that other tests abandoned may linger at the shared one.
      const server = await startEventStoreDb();
      onTestFinished(() => server.stop());
      const only = await openEventStoreDb({ url: server.url, clock: systemClock, timeoutMilliseconds: TIMEOUT });
      onTestFinished(() => only.close());
      await only.append(stream, 'no stream', events());
      for (let n = 0; n < 20; n += 1)
        for await (const item of only.subscribe({ after: null, signal: new AbortController().signal })) if (item.kind === 'event') break;
      const after = await only.head();
      for await (const item of only.subscribe({ after, signal: new AbortController().signal })) if (item.kind === 'caughtUp') break;
      await eventually(async () => expect((await server.state()).reads).toBe(1));
      await only.close();
      await eventually(async () => expect((await server.state()).reads).toBe(0));
      await eventually(async () => expect((await server.state()).connections).toBe(0));
    });
  });

  it('closes even if the server is silent', async () => {
    await fake.faults({ hang: true });
    const pending = store.append(stream, 'no stream', events()).catch((error: unknown) => error);
    await store.close();
    expect(await pending).toBeInstanceOf(StoreUnavailable);
  });
});

describe('EventStoreDB in a cluster', () => {
  const [LEADER, FOLLOWER] = [8, 6];
  /** Time in which the nodes of a cluster elect another leader; shorter here than on real ones. */
  const ELECTION = 2_500;

  /** Three nodes, the first of which leads. `elects` makes the given nodes name a leader, and report earlier ones as dead. */
  const startCluster = async () => {
    const nodes = await Promise.all([startEventStoreDb(), startEventStoreDb(), startEventStoreDb()]);
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))));
    const told = (leader: FakeEventStoreDb) =>
      nodes.map((node) => ({
        host: '127.0.0.1',
        port: node.port,
        state: node === leader ? LEADER : FOLLOWER,
        alive: nodes.indexOf(node) >= nodes.indexOf(leader),
      }));
    const elects = async (leader: FakeEventStoreDb, by: readonly FakeEventStoreDb[]) =>
      void (await Promise.all(by.map((node) => node.members(told(leader)))));
    const [first, second, third] = nodes;
    if (!first || !second || !third) throw new Error('three nodes were started');
    await elects(first, nodes);
    const url = `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`;
    return { first, second, third, url, elects };
  };
  const openCluster = async (url: string): Promise<EventStore> => {
    // The default time-out, so that the measurement does not depend on a short one.
    const opened = await openEventStoreDb({ url, clock: systemClock });
    onTestFinished(() => opened.close());
    return opened;
  };

  it('accepts an append at most 2 s after the cluster has replaced a paused leader', { timeout: 60_000 }, async () => {
    const { first, second, third, url, elects } = await startCluster();
    const store = await openCluster(url);
    await store.append('before', 'no stream', events());
    let elected = Number.POSITIVE_INFINITY;
    const gaps: number[] = [];
    const appender = async (n: number) => {
      const given = events();
      // Each fake has its own log: the test checks when an append is accepted. A caller repeats unavailable appends.
      const append = (): Promise<unknown> =>
        store
          .append(`after-${n}`, 'no stream', given)
          .catch((error: unknown) => (error instanceof StoreUnavailable ? append() : Promise.reject(error)));
      await append();
      gaps.push(performance.now() - elected);
    };
    first.pause();
    const appending = Promise.all(Array.from({ length: 8 }, (_, n) => appender(n)));
    // Some wait at the paused leader, others arrive while the first ones time out.
    await electionTime(ELECTION);
    await elects(second, [second, third]);
    elected = performance.now();
    await appending;
    expect(Math.max(...gaps)).toBeLessThan(2_000);
    expect((await second.state()).events).toBeGreaterThanOrEqual(10);
    console.log(`accepted ${Math.round(Math.min(...gaps))} to ${Math.round(Math.max(...gaps))} ms after the election`);
  });

  it('accepts an append at most 2 s after the election once the time-outs of the first calls are over', { timeout: 60_000 }, async () => {
    const { first, second, third, url, elects } = await startCluster();
    const store = await openCluster(url);
    await store.append('before', 'no stream', events());
    first.pause();
    const given = events();
    await expect(store.append('after', 'no stream', given)).rejects.toBeInstanceOf(StoreUnavailable);
    const append = (): Promise<unknown> =>
      store
        .append('after', 'no stream', given)
        .catch((error: unknown) => (error instanceof StoreUnavailable ? append() : Promise.reject(error)));
    const appending = append();
    await electionTime(ELECTION);
    await elects(second, [second, third]);
    const elected = performance.now();
    await appending;
    expect(performance.now() - elected).toBeLessThan(2_000);
  });

  it('stays with a slow leader until a majority names another', async () => {
    const { first, second, url, elects } = await startCluster();
    const store = await openCluster(url);
    await store.append('a', 'no stream', events());
    await first.faults({ slow: 2_500 });
    const appending = store.append('a', 0n, events());
    // One of three is wrong about the leader.
    await elects(second, [second]);
    expect((await appending).revision).toBe(1n);
  });

  it('starts at the elected leader even if other nodes are paused', async () => {
    const { first, second, third, url, elects } = await startCluster();
    await elects(second, [second, third]);
    first.pause();
    const store = await openCluster(url);
    await store.append('a', 'no stream', events());
    expect((await second.state()).events).toBe(3);
  });

  it('finds the leader through one node of a name with several addresses', async () => {
    const { first, second, third, elects } = await startCluster();
    await elects(third, [first, second, third]);
    const store = await openCluster(`esdb+discover://127.0.0.1:${first.port}?tls=false`);
    await store.append('a', 'no stream', events());
    expect((await third.state()).events).toBe(3);
  });

  it('is "unavailable" without a leader, and leaves no connection open when the start is aborted', async () => {
    const { first, url } = await startCluster();
    await first.members([{ host: '127.0.0.1', port: first.port, state: FOLLOWER }]);
    const single = url.replace(/:\/\/([^,]+),.*\?/, '://$1,127.0.0.1:1?');
    const opening = openEventStoreDb({ url: single, clock: systemClock, timeoutMilliseconds: TIMEOUT, signal: AbortSignal.timeout(1_500) });
    await expect(opening).rejects.toThrow(/abort|time/i);
    await eventually(async () => expect((await first.state()).connections).toBe(0));
  });
});
