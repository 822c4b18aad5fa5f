import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Logger } from '../../src/logger.ts';
import { silentLogger } from '../../src/logger.ts';
import type { EventStore } from '../../src/stores/eventStore.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { ConnectionStringRefused } from '../../src/stores/eventstoredb/refusal.ts';
import { eventually } from '../eventually.ts';
import { CERTIFICATE, LOCALHOST_CERTIFICATE, LOCALHOST_KEY, PRIVATE_KEY } from '../fakes/certificate.ts';
import { ACCESS_LIST, type SecuredEventStoreDb, startSecured, USERS } from '../fakes/eventStoreDb/secured.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';

const SPEED = 10;
/** A clock that is ten times as fast as the machine's, so that half a minute passes within the test. */
const fastClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() * SPEED,
  pause: (milliseconds, signal) => systemClock.pause(milliseconds / SPEED, signal),
};

let secured: SecuredEventStoreDb;
beforeAll(async () => {
  secured = await startSecured();
});
afterAll(() => secured.stop());

const open = async (url: string, clock: Clock = systemClock, logger: Logger = silentLogger): Promise<EventStore> => {
  const store = await openEventStoreDb({ url, clock, logger, timeoutMilliseconds: clock === fastClock ? 5_000 * SPEED : 5_000 });
  onTestFinished(() => store.close());
  return store;
};

const refusal = (url: string, clock: Clock = systemClock): Promise<unknown> =>
  open(url, clock).then(
    () => expect.unreachable('it opened'),
    (error: unknown) => error,
  );

const event = () => ({ id: randomUUID(), type: 'SomethingHappened', data: {}, metadata: {} });

describe('a start with an EventStoreDB that has TLS and users', () => {
  it('succeeds for an administrator with the right authority', async () => {
    const store = await open(secured.urlOf('admin'));
    const name = `a-${randomUUID()}`;
    await store.append(name, 'no stream', [event()]);
    expect(await store.readStream(name)).toHaveLength(1);
  });

  it('waits for users that a fresh server refuses for some seconds', async () => {
    const late = await startSecured({ admin: { password: 'not-loaded-yet', groups: ['$admins'] } });
    onTestFinished(() => late.stop());
    const opening = refusal(late.urlOf('admin').replace('not-loaded-yet', 'wrong'), fastClock);
    const soon = systemClock.pause(10_000 / SPEED).then(() => 'still waiting');
    expect(await Promise.race([opening, soon])).toBe('still waiting');
    await opening;
  });

  it.each([
    ['a wrong password', () => secured.urlOf('admin').replace(USERS.admin.password, 'wrong'), /refuses the password of the user "admin"/],
    [
      'a user that may not read the whole log',
      () => secured.urlOf('other'),
      /the user "other" may not read the whole log \(\$all\).*operations-cluster\.md/,
    ],
    ['no user', () => secured.urlOf(null), /holds no user.*esdb:\/\/user:password@/],
  ])('fails within half a minute with %s, and says so', async (_, url, sentence) => {
    const error = await refusal(url(), fastClock);
    expect(error).toBeInstanceOf(ConnectionStringRefused);
    expect(String(error)).toMatch(sentence);
    expect(String(error)).not.toMatch(/secret|wrong/);
  });

  it.each([
    [
      'an authority that did not sign the certificate',
      () => secured.urlOf('admin', `tlsCAFile=${secured.strangeAuthority}`),
      /certificate of .* not signed by a known authority.*tlsCAFile/,
    ],
    ['no authority', () => secured.urlOf('admin', 'tls=true'), /certificate of .* not signed by a known authority.*tlsCAFile/],
    ['tls=false', () => secured.urlOf('admin', 'tls=false'), /expects TLS. Remove tls=false/],
  ])('fails at once with %s, and says so', async (_, url, sentence) => {
    const error = await refusal(url());
    expect(error).toBeInstanceOf(ConnectionStringRefused);
    expect(String(error)).toMatch(sentence);
    expect(String(error)).not.toContain('secret');
  });

  it('ends within a minute when a user is refused and the reason cannot be asked over HTTP', async () => {
    const silent = await startSecured();
    onTestFinished(() => silent.stop());
    await silent.faults({ silentHttp: true });
    expect(String(await refusal(silent.urlOf('other'), fastClock))).toMatch(/refuses the user "other".*password.*rights/);
  });

  it('waits while the certificate of one node is refused and another node is away', async () => {
    const hosts = `127.0.0.1:${secured.port},127.0.0.1:1`;
    const stop = new AbortController();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
    const url = `esdb://admin:any@${hosts}?tlsCAFile=${secured.strangeAuthority}`;
    const opening = openEventStoreDb({ url, clock: fastClock, logger, timeoutMilliseconds: 5_000, signal: stop.signal });
    // The reason is said again after half a minute of the fast clock.
    await eventually(() => warnings.length > 1);
    stop.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
  });

  it('fails at once with TLS to a server without it, alone or as a cluster', async () => {
    const plain = await startEventStoreDb();
    onTestFinished(() => plain.stop());
    for (const hosts of [`127.0.0.1:${plain.port}`, `127.0.0.1:${plain.port},127.0.0.1:1`])
      expect(String(await refusal(`esdb://admin:secret@${hosts}?tls=true`))).toMatch(/does not use TLS. Set up TLS.*tls=false/);
  });
});

describe('discovery over TLS', () => {
  const discovery = (server: SecuredEventStoreDb): string =>
    server.urlOf('admin').replace('esdb:', 'esdb+discover:').replace('@127.0.0.1:', '@localhost:');

  it('uses the node under the name in gossip, if the certificate holds that name too', async () => {
    const store = await open(discovery(secured));
    const name = `a-${randomUUID()}`;
    await store.append(name, 'no stream', [event()]);
    expect(await store.readStream(name)).toHaveLength(1);
  });

  it('ends the start if the certificate holds the name of discovery, but not the name in gossip', async () => {
    const server = await startSecured(USERS, { cert: LOCALHOST_CERTIFICATE, key: LOCALHOST_KEY });
    onTestFinished(() => server.stop());
    expect(String(await refusal(discovery(server)))).toMatch(/certificate of 127\.0\.0\.1:\d+ is for another host.*name themselves/);
    // It answers under that name if gossip gives it.
    await server.members([{ host: 'localhost', port: server.port, state: 8 }]);
    await (await open(discovery(server))).append(randomUUID(), 'no stream', [event()]);
  });

  it.each([
    ['of discovery', 'esdb+discover:'],
    ['of a lone server', 'esdb:'],
  ])('ends the start if the certificate does not hold the name %s', async (_, scheme) => {
    const server = await startSecured(USERS, { cert: CERTIFICATE, key: PRIVATE_KEY });
    onTestFinished(() => server.stop());
    expect(String(await refusal(discovery(server).replace('esdb+discover:', scheme)))).toMatch(
      /certificate of localhost:\d+ is for another host/,
    );
  });
});

describe('the rights of the user of EVENTSTORE_URL', () => {
  const setRights = async (server: SecuredEventStoreDb): Promise<void> => {
    const client = EventStoreDBClient.connectionString(server.urlOf('admin'));
    await client.appendToStream('$settings', jsonEvent({ type: '$settings', data: ACCESS_LIST }));
  };
  const warnings = async (url: string) => (await open(url)).rightsWarnings?.();

  it('cause a warning if the user could delete, or other users can read the log', async () => {
    const server = await startSecured();
    onTestFinished(() => server.stop());
    expect(await warnings(server.urlOf('admin'))).toEqual([
      expect.stringMatching(/"admin" of EVENTSTORE_URL may delete/),
      expect.stringMatching(/Other users may read the log/),
    ]);
    await setRights(server);
    expect(await warnings(server.urlOf('admin'))).toEqual([
      expect.stringMatching(/"admin" of EVENTSTORE_URL may delete/),
      expect.stringMatching(/Other users may read the log in EventStoreDB: tributary\./),
    ]);
  });

  it('cause a warning without TLS, where everyone has all rights', async () => {
    const plain = await startEventStoreDb();
    onTestFinished(() => plain.stop());
    expect(await warnings(plain.url)).toEqual([expect.stringMatching(/no TLS or no user: everybody .* can read and delete/)]);
  });

  it('are sufficient with the recommended access list, and do not include deletion', async () => {
    const server = await startSecured();
    onTestFinished(() => server.stop());
    await setRights(server);
    const url = server.urlOf('tributary');
    expect(await warnings(url)).toEqual([]);
    const store = await open(url);
    await store.append('delivery-1', 'no stream', [event()]);
    await store.setRetention('delivery-1', 60);
    expect(await store.readAll({ after: null, limit: 10 })).toHaveLength(1);
    expect(await store.readStream('stream-1')).toEqual([]);
    const client = EventStoreDBClient.connectionString(url);
    await expect(client.deleteStream('delivery-1')).rejects.toMatchObject({ code: 7 });
    expect(String(await refusal(server.urlOf('other'), fastClock))).toMatch(/may not read the whole log/);
  });
});
