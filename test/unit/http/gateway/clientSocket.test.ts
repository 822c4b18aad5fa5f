import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Problem } from '../../../../src/domain/problem.ts';
import { ClientSocket, type SocketDeps, type SocketRules } from '../../../../src/http/gateway/webSocket/clientSocket.ts';
import { MessageRate } from '../../../../src/http/gateway/webSocket/messageRate.ts';
import { socketOptions } from '../../../../src/http/gateway/webSocket/socketAdmission.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../../src/limits.ts';
import { eventually } from '../../../eventually.ts';
import { ManualClock } from '../../../manualClock.ts';

const MEBIBYTE = 1_048_576;
const RULES = { silentMilliseconds: 10_000, lookMilliseconds: 500, pings: false, noRoomCode: 1013 };

interface Connected {
  readonly client: WebSocket;
  readonly socket: ClientSocket;
  /** The server's side. */
  readonly side: WebSocket;
  readonly heard: string[];
  readonly refused: Problem[];
  readonly left: () => boolean;
  /** Messages are handled from now on. */
  go(): void;
}

interface Served {
  readonly limits?: Partial<Limits>;
  readonly rules?: Partial<SocketRules>;
  /** How long a client has to answer a close frame. */
  readonly closeTimeout?: number;
}

/** A server for sockets whose sessions only take messages. */
const serveSockets = async ({ limits: changed = {}, rules = {}, closeTimeout = 5_000 }: Served = {}) => {
  const clock = new ManualClock(0);
  const limits = { ...DEFAULT_LIMITS, ...changed };
  const memory = new MemoryBudget(limits);
  const deps: SocketDeps = { clock, limits, memory, rate: new MessageRate(limits, clock) };
  const options = { ...socketOptions(limits), closeTimeout };
  const sockets = new WebSocketServer(options);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  const open = async (user = 'a', { waits = false } = {}): Promise<Connected> => {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client.on('error', () => {});
    onTestFinished(() => client.terminate());
    const [incoming, connection, head] = await once(server, 'upgrade');
    const heard: string[] = [];
    const refused: Problem[] = [];
    let [go, hasLeft] = [() => {}, false];
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const session = {
      hear: async (data: Uint8Array) => {
        if (waits) await gate;
        heard.push(data.length < 100 ? Buffer.from(data).toString() : `${data.length} bytes`);
      },
      refuse: (problem: Problem) => void refused.push(problem),
      left: () => {
        hasLeft = true;
      },
    };
    const opening = once(client, 'open');
    const [socket, side] = await new Promise<[ClientSocket, WebSocket]>((resolve) =>
      sockets.handleUpgrade(incoming, connection, head, (webSocket) =>
        resolve([new ClientSocket(webSocket, connection, deps, { ...RULES, ...rules }, user, session), webSocket]),
      ),
    );
    await opening;
    return { client, socket, side, heard, refused, left: () => hasLeft, go };
  };
  return { clock, memory, open };
};

const codeOf = async (client: WebSocket): Promise<number> => (await once(client, 'close'))[0];

test('hears messages one after another, also those before a close, and then that the client has left', async () => {
  const { open, memory } = await serveSockets();
  const { client, heard, left, go, socket } = await open('a', { waits: true });
  for (const text of ['a', 'b', 'c']) client.send(text);
  client.close();
  await once(client, 'close');
  expect([heard, left()]).toEqual([[], false]);
  go();
  await socket.closed;
  expect([heard, left()]).toEqual([['a', 'b', 'c'], true]);
  expect(memory.total).toBe(0);
});

test('stops reading while SOCKET_UNREAD_BYTES wait, and continues when they have been handled', async () => {
  const { open, memory } = await serveSockets({ limits: { socketUnreadBytes: 100_000 } });
  const { client, side, heard, go } = await open('a', { waits: true });
  for (let n = 0; n < 400; n += 1) client.send(Buffer.alloc(50_000));
  await eventually(() => side.isPaused);
  await eventually(() => client.bufferedAmount > 0);
  expect(memory.of('a')).toBeLessThan(500_000);
  go();
  await eventually(() => expect(heard).toHaveLength(400));
  expect(side.isPaused).toBe(false);
  await eventually(() => expect(memory.of('a')).toBe(0));
});

test("does not read a user's sockets for the rest of a second with more than SOCKET_MESSAGES_PER_SECOND messages", async () => {
  const { open, clock } = await serveSockets({ limits: { socketMessagesPerSecond: 1_000 } });
  const [first, second, other] = [await open('a'), await open('a'), await open('b')];
  for (let n = 0; n < 990; n += 1) first.client.send('x');
  await eventually(() => expect(first.heard).toHaveLength(990));
  for (let n = 0; n < 11; n += 1) second.client.send('x');
  await eventually(() => second.side.isPaused);
  first.client.send('x');
  await eventually(() => first.side.isPaused);
  other.client.send('x');
  await eventually(() => expect(other.heard).toHaveLength(1));
  expect(other.side.isPaused).toBe(false);
  await clock.advance(999);
  expect([first.side.isPaused, second.side.isPaused]).toEqual([true, true]);
  await clock.advance(1);
  expect([first.side.isPaused, second.side.isPaused]).toEqual([false, false]);
});

test.each(['whole', 'unfinished'])('refuses a client whose %s messages find no room in the memory of its user', async (kind) => {
  const { open, memory } = await serveSockets({ limits: { memoryPerUserMib: 4, socketUnreadBytes: 16 * MEBIBYTE }, closeTimeout: 100 });
  const [first, second, other] = [await open('a', { waits: true }), await open('a', { waits: true }), await open('b', { waits: true })];
  const say = ({ client }: Connected) => {
    if (kind === 'whole') client.send(Buffer.alloc(3 * MEBIBYTE));
    else for (let n = 0; n < 3; n += 1) client.send(Buffer.alloc(MEBIBYTE), { fin: false });
  };
  say(first);
  await eventually(() => memory.of('a') >= 3 * MEBIBYTE);
  say(other);
  const messages: number[] = [];
  second.client.on('close', (code) => messages.push(code));
  say(second);
  await eventually(() => expect(second.refused).toMatchObject([{ statusCode: 429 }]));
  expect(memory.of('a')).toBeLessThan(4 * MEBIBYTE + 200_000);
  await eventually(() => memory.of('b') >= 3 * MEBIBYTE);
  expect([first.refused, other.refused]).toEqual([[], []]);
  first.client.terminate();
  first.go();
  second.client.terminate();
  await Promise.all([first.socket.closed, second.socket.closed]);
  expect(memory.of('a')).toBe(0);
});

test('closes with the code of the gateway if there is no room for what a client does not take', async () => {
  const { open, memory } = await serveSockets({ limits: { memoryPerUserMib: 16 } });
  const { client, socket, refused } = await open();
  client.pause();
  const sending = Array.from({ length: 17 }, () => socket.send(Buffer.alloc(MEBIBYTE)));
  await expect(Promise.all(sending)).rejects.toMatchObject({ statusCode: 429 });
  expect(refused).toMatchObject([{ statusCode: 429 }]);
  const closed = codeOf(client);
  client.resume();
  expect(await closed).toBe(1013);
  await socket.closed;
  expect(memory.of('a')).toBe(0);
});

test('closes with 1009 above SOCKET_MESSAGE_MAX_BYTES', async () => {
  const { open } = await serveSockets({ limits: { socketMessageMaxBytes: 100_000 } });
  const { client, heard, refused } = await open();
  client.send(Buffer.alloc(100_000));
  client.send(Buffer.alloc(100_001));
  expect(await codeOf(client)).toBe(1009);
  expect(heard).toEqual(['100000 bytes']);
  expect(refused).toHaveLength(1);
});

test('closes a silent client, and keeps one that answers pings', async () => {
  const { open, clock } = await serveSockets({ rules: { silentMilliseconds: 60_000, lookMilliseconds: 20_000, pings: true } });
  const [silent, alive] = [await open(), await open()];
  silent.client.pause();
  for (let looked = 0; looked < 5; looked += 1) {
    const pinged = once(alive.side, 'pong');
    await clock.advance(20_000);
    if (looked < 4) await pinged;
  }
  await eventually(() => silent.left());
  expect(alive.left()).toBe(false);
  expect(alive.client.readyState).toBe(WebSocket.OPEN);
});
