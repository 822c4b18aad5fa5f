import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../../../src/clock.ts';
import { TemplateLibrary } from '../../../../src/commands/templateLibrary.ts';
import { unavailable } from '../../../../src/domain/problem.ts';
import { topicId } from '../../../../src/domain/stream/streamConfiguration.ts';
import { UploadPlanner } from '../../../../src/http/gateway/planner.ts';
import { MessageRate } from '../../../../src/http/gateway/webSocket/messageRate.ts';
import { SocketSession } from '../../../../src/http/gateway/webSocket/session.ts';
import { socketOptions } from '../../../../src/http/gateway/webSocket/socketAdmission.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { RawQuery } from '../../../../src/http/query/rawQuery.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../../src/limits.ts';
import { silentLogger } from '../../../../src/logger.ts';
import { openProcessors } from '../../../../src/processors/registry.ts';
import { CallerSchemas } from '../../../../src/processors/schemas/callerSchemas.ts';
import type { ReadModels } from '../../../../src/projections/readModels.ts';
import { DISK_ELSEWHERE } from '../../../../src/stores/diskSpace.ts';
import { StoreUnavailable } from '../../../../src/stores/eventStore.ts';
import type { LiveReaders } from '../../../../src/stores/leases/liveReaders.ts';
import { eventually } from '../../../eventually.ts';
import { commandRig } from '../../../fakes/commandRig.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { OWNER, STREAM } from '../../../fakes/streamStory.ts';

const PING = '65f46430c6d8985974ff9c9d';
const NO_READERS: Pick<LiveReaders, 'enter'> = { enter: async () => async () => {} };

/** A session over a real connection whose checks take as long as the test wants. */
const opened = async (query: string, readModels: ReadModels = new MemoryReadModels(), changed: Partial<Limits> = {}) => {
  const limits = { ...DEFAULT_LIMITS, ...changed };
  const { deps, topics, store, clock } = commandRig();
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  class SlowPlanner extends UploadPlanner {
    override async prepare(...given: Parameters<UploadPlanner['prepare']>) {
      await gate;
      return super.prepare(...given);
    }
  }
  const processors = openProcessors({ clock: systemClock });
  const schemas = new CallerSchemas({ clock: systemClock });
  const templates = new TemplateLibrary(deps.log);
  const planning = {
    log: deps.log,
    limits: deps.limits,
    templates,
    processors,
    schemas,
    judgeWebhook: async () => null,
    retention: { persistent: 0, longest: 0 },
    spellLabels: async (_: string, labels: readonly string[]) => [...labels],
    deployment: 'd',
    replica: '0',
  };
  const more = { readModels, news: new ManualNews(deps.clock), liveReaders: NO_READERS };
  const all = {
    ...deps,
    ...more,
    disk: DISK_ELSEWHERE,
    limits,
    memory: new MemoryBudget(limits),
    rate: new MessageRate(limits, deps.clock),
    logger: silentLogger,
    maxBytes: 1_000_000,
    planner: new SlowPlanner(planning),
  };
  const { noServer: _, ...options } = socketOptions(limits);
  const server = new WebSocketServer({ ...options, port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  await once(server, 'listening');
  const connecting = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const messages: { type: string }[] = [];
  client.on('message', (data) => messages.push(JSON.parse(String(data))));
  const [socket, { socket: connection }] = await connecting;
  const session = new SocketSession(socket, connection, all, {
    caller: { subject: OWNER, actor: 'test', roles: ['user'] },
    rawQuery: new RawQuery(
      `streamConfigurationTemplateId=${PING}&id=${STREAM}&${query.includes('egress=') ? '' : 'egress=false&'}${query}`,
    ),
    header: () => undefined,
    correlationId: 'c',
  });
  const ended = session.run();
  if (client.readyState !== client.OPEN) await once(client, 'open');
  return { client, messages, socket, session, ended, go, topics, store, clock };
};

const dataOf = async ({ topics, store }: Awaited<ReturnType<typeof opened>>): Promise<string> => {
  const created = store.events.find(({ type }) => type === 'StreamCreated')?.data as { configuration: { dataSource: { topic: string } } };
  const chunks: Uint8Array[] = [];
  for await (const { data } of topics.read(topicId(created.configuration.dataSource.topic))) chunks.push(data);
  return Buffer.concat(chunks).toString();
};

test.each([
  ['with a CONFIGURATION', 'configurationMessage=true', ['{"type":"CONFIGURATION"}']],
  ['without one', '', []],
])('loses no data of a client that has sent everything and left before its stream exists, %s', async (_, query, first) => {
  const opening = await opened(query);
  for (const text of first) opening.client.send(text);
  opening.client.send(Buffer.from('all '));
  opening.client.send(Buffer.from('of it'));
  opening.client.close();
  // Data sent in one burst arrives together with the end of the connection.
  await eventually(() => opening.socket.readyState !== opening.socket.OPEN);
  if (opening.socket.readyState !== opening.socket.CLOSED) await once(opening.socket, 'close');
  opening.go();
  await opening.ended;
  expect(await dataOf(opening)).toBe('all of it');
  expect(opening.store.events.map(({ type }) => type)).toContain('UploadCompleted');
});

test('creates nothing for a client that leaves before its configuration', async () => {
  const { client, socket, ended, go, store } = await opened('configurationMessage=true');
  client.close();
  await once(socket, 'close');
  go();
  await ended;
  expect(store.events).toEqual([]);
});

test('answers a broken first message with an ERROR, however early it comes', async () => {
  const { client, messages, socket, ended, go, store } = await opened('configurationMessage=true');
  const heard = once(socket, 'message');
  client.send('{');
  await heard;
  go();
  await ended;
  await eventually(() => messages.length === 1);
  expect(messages).toMatchObject([{ type: 'ERROR', error: { internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' } }]);
  expect(store.events).toEqual([]);
});

test('reads a long CONFIGURATION', async () => {
  const { client, messages, ended, go, store } = await opened('configurationMessage=true');
  client.send(`{"type":"CONFIGURATION"${' '.repeat(100_000)}}`);
  client.send('{"type":"END_OF_STREAM"}');
  go();
  await ended;
  await eventually(() => messages.length > 0);
  expect(messages).toMatchObject([{ type: 'STREAM_METADATA' }]);
  expect(store.events.map(({ type }) => type)).toContain('UploadCompleted');
});

test('refuses a CONFIGURATION with more than JSON_MAX_VALUES values', async () => {
  const { client, messages, ended, go, store } = await opened('configurationMessage=true');
  client.send(JSON.stringify({ type: 'CONFIGURATION', patches: { x: Array(20_000).fill(0) } }));
  go();
  await ended;
  await eventually(() => messages.length === 1);
  expect(messages).toMatchObject([{ type: 'ERROR', error: { message: expect.stringContaining('more than 20000 values') } }]);
  expect(store.events).toEqual([]);
});

test('fails, and does not complete, if its client leaves right after a text that is refused', async () => {
  const { client, ended, go, store } = await opened('');
  go();
  await eventually(() => expect(store.events.map(({ type }) => type)).toContain('StreamCreated'));
  client.send('x');
  client.send(Buffer.from('data'));
  client.close();
  await ended;
  expect(store.events.map(({ type }) => type)).toContain('UploadFailed');
  expect(store.events.map(({ type }) => type)).not.toContain('UploadCompleted');
});

test('ends at once with 503 when the server stops', async () => {
  const { messages, session, ended, go } = await opened('configurationMessage=true');
  go();
  session.fail(unavailable('The server is stopping.'));
  await ended;
  await eventually(() => messages.length === 1);
  expect(messages).toMatchObject([{ type: 'ERROR', error: { statusCode: 503 } }]);
});

test('ends when the server stops even if its client does not read the ERROR', async () => {
  const { client, socket, session, ended, go } = await opened('configurationMessage=true');
  client.pause();
  // More than both sides' buffers: later data wait for the client.
  socket.send(Buffer.alloc(32_000_000));
  const sent = vi.spyOn(socket, 'send');
  client.send('{');
  go();
  await eventually(() => sent.mock.calls.length === 1);
  session.fail(unavailable('The server is stopping.'));
  await ended;
  client.terminate();
});

test.each([
  ['KEEP_ALIVE messages', (client: WebSocket) => client.send('{"type":"KEEP_ALIVE"}')],
  ['pings', (client: WebSocket) => client.ping()],
])('closes with 1008, and fails the stream, after more than SOCKET_CONTROL_MESSAGES %s in 10 seconds', async (_, say) => {
  const { client, messages, ended, go, clock, store } = await opened('');
  go();
  await eventually(() => messages.some(({ type }) => type === 'STREAM_METADATA'));
  const answers = () => messages.filter(({ type }) => type === 'KEEP_ALIVE').length + pongs;
  let pongs = 0;
  client.on('pong', () => {
    pongs += 1;
  });
  const answered = async (count: number) => {
    const before = answers();
    for (let n = 0; n < count; n += 1) say(client);
    await eventually(() => expect(answers()).toBe(before + count));
  };
  await answered(90);
  await clock.advance(9_000);
  await answered(10);
  await clock.advance(2_000);
  for (let n = 0; n < 110; n += 1) say(client);
  expect((await once(client, 'close'))[0]).toBe(1008);
  await ended;
  expect(messages.at(-1)).toMatchObject({ type: 'ERROR', error: { message: expect.stringContaining('100 KEEP_ALIVE') } });
  expect(store.events.map(({ type }) => type)).toContain('UploadFailed');
});

test('ends with an ERROR and 1000 if its messages find no room in memory, and creates nothing', async () => {
  const { client, messages, ended, go, store } = await opened('', undefined, { memoryPerUserMib: 4 });
  const closed = once(client, 'close');
  client.send(Buffer.alloc(8_000_000));
  await eventually(() => messages.length === 1);
  expect(messages).toMatchObject([{ type: 'ERROR', error: { statusCode: 429, internalErrorName: 'STREAM_USAGE_LIMIT_REACHED' } }]);
  client.terminate();
  await closed;
  go();
  await ended;
  expect(store.events).toEqual([]);
});

test('closes after 30 minutes of keep-alive messages only, and completes the stream', async () => {
  const { client, messages, ended, go, clock, store } = await opened('');
  go();
  await eventually(() => messages.some(({ type }) => type === 'STREAM_METADATA'));
  client.send(Buffer.from('data'));
  await eventually(() => store.events.some(({ type }) => type === 'StreamCreated'));
  const closed = once(client, 'close');
  const answered = () => messages.filter(({ type }) => type === 'KEEP_ALIVE').length;
  let minutes = 0;
  for (; client.readyState === client.OPEN && minutes < 40; minutes += 0.1) {
    const before = answered();
    client.send(JSON.stringify({ type: 'KEEP_ALIVE' }));
    await eventually(() => answered() > before || client.readyState !== client.OPEN);
    await clock.advance(6_000);
    // Closing takes a round trip.
    if (minutes > 29.8) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(minutes).toBeGreaterThan(29.5);
  expect(minutes).toBeLessThan(32);
  expect((await closed)[0]).toBe(1000);
  await ended;
  expect(store.events.map(({ type }) => type)).toContain('UploadCompleted');
});

test('tells a client at once that its responses cannot be read, and continues its upload', async () => {
  const readModels = Object.assign(new MemoryReadModels(), {
    getFresh: () => Promise.reject(new StoreUnavailable('the read models are away')),
  });
  const opening = await opened('egress=true', readModels);
  const { client, messages, ended, go } = opening;
  go();
  await eventually(() => messages.length === 2);
  expect(messages).toMatchObject([{ type: 'STREAM_METADATA' }, { type: 'ERROR', error: { statusCode: 503 } }]);
  client.send(Buffer.from('all of it'));
  client.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  await ended;
  expect(await dataOf(opening)).toBe('all of it');
  expect(messages).toHaveLength(2);
});
