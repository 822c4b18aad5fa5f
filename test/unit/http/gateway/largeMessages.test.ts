import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { LARGE_MESSAGE_BYTES, LargeMessages, USER_BYTES } from '../../../../src/http/gateway/webSocket/largeMessages.ts';
import { Turns } from '../../../../src/http/gateway/webSocket/largeMessageTurns.ts';
import { SOCKET_OPTIONS } from '../../../../src/http/gateway/webSocket/socketAdmission.ts';
import { Traffic } from '../../../../src/http/traffic.ts';
import { eventually } from '../../../eventually.ts';
import { ManualClock } from '../../../manualClock.ts';

/** Real connections of users. What each has heard is handled when the test says so. */
const guarded = async (load = { busy: false }, memory = { scarcity: 0 }) => {
  const clock = new ManualClock();
  const traffic = new Traffic(clock, load);
  const largeMessages = new LargeMessages(clock, traffic, memory);
  const server = new WebSocketServer({ ...SOCKET_OPTIONS, noServer: false, port: 0, host: '127.0.0.1' });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const open = async (subject: string) => {
    const connecting = once(server, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const opening = once(client, 'open');
    const [socket, { socket: connection }] = await connecting;
    const heard: number[] = [];
    const guard = largeMessages.guard(socket, connection, subject);
    const handled = () => guard.handled();
    socket.on('message', (data: Buffer) => heard.push(data.length));
    await opening;
    return { client, socket, heard, guard, handled };
  };
  return { clock, traffic, open };
};

const LARGE = Buffer.alloc(16 * LARGE_MESSAGE_BYTES);
const SMALL = Buffer.alloc(LARGE_MESSAGE_BYTES / 2);

test("delays a user's large message until the previous one is handled and as long again as its bytes cost, and receives it whole", async () => {
  const { clock, open } = await guarded();
  const [first, second] = [await open('a'), await open('a')];
  first.client.send(LARGE);
  await eventually(() => expect(first.heard).toEqual([LARGE.length]));
  second.client.send(LARGE);
  await eventually(() => expect(second.socket.isPaused).toBe(true));
  second.socket.resume();
  expect(second.socket.isPaused).toBe(true);
  expect(second.heard).toEqual([]);
  first.handled();
  await clock.advance(60);
  expect(second.heard).toEqual([]);
  await clock.advance(5);
  await eventually(() => expect(second.heard).toEqual([LARGE.length]));
});

test('does not delay another user, or a small message of the same user', async () => {
  const { open } = await guarded();
  const [first, small, other] = [await open('a'), await open('a'), await open('b')];
  first.client.send(LARGE);
  await eventually(() => expect(first.heard).toHaveLength(1));
  small.client.send(SMALL);
  other.client.send(LARGE);
  await eventually(() => expect([small.heard, other.heard]).toEqual([[SMALL.length], [LARGE.length]]));
});

test('gives the turn of a closed socket to the next', async () => {
  const { clock, open } = await guarded();
  const [first, second] = [await open('a'), await open('a')];
  first.client.send(LARGE, { fin: false });
  await eventually(() => expect(first.client.bufferedAmount).toBe(0));
  first.client.terminate();
  await eventually(() => expect(first.socket.readyState).toBe(WebSocket.CLOSED));
  second.client.send(LARGE);
  await clock.advance(65);
  await eventually(() => expect(second.heard).toEqual([LARGE.length]));
});

test('closes a socket with 1008 and a reason if its large message is not complete in 60 s', async () => {
  const { clock, open } = await guarded();
  const { client, handled } = await open('a');
  const closed = once(client, 'close');
  client.send(SMALL);
  client.send(LARGE, { fin: false });
  await eventually(() => expect(client.bufferedAmount).toBe(0));
  handled();
  await clock.advance(200);
  await eventually(() => expect(clock.sleeping).toBe(2));
  await clock.advance(60_000);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1008, `A message of more than ${LARGE_MESSAGE_BYTES} bytes must be complete within 60 s.`]);
});

test('closes a slow sender with 1008 and a reason after 5 s if another user waits for a turn', async () => {
  const { clock, open } = await guarded();
  const slow = [await open('a'), await open('b'), await open('c'), await open('d')];
  const closed = once(slow[0]?.client ?? expect.fail(), 'close');
  for (const { client } of slow) client.send(LARGE, { fin: false });
  await eventually(() => expect(slow.map(({ client }) => client.bufferedAmount)).toEqual([0, 0, 0, 0]));
  await eventually(() => expect(clock.sleeping).toBe(8));
  await clock.advance(20_000);
  expect(slow.map(({ client }) => client.readyState)).toEqual([1, 1, 1, 1]);
  const waiting = await open('e');
  waiting.client.send(LARGE);
  await eventually(() => expect(waiting.socket.isPaused).toBe(true));
  await clock.advance(5_000);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1008, 'While other users wait, your message must arrive at 1 MiB a second, measured over 5 s.']);
  await eventually(() => expect(waiting.heard).toEqual([LARGE.length]));
});

test('cuts off a slow sender who ignores the close after one more second, and gives its turn to the next', async () => {
  const { clock, open } = await guarded();
  const slow = [await open('a'), await open('b'), await open('c'), await open('d')];
  for (const { client } of slow) client.send(LARGE, { fin: false });
  await eventually(() => expect(clock.sleeping).toBe(8));
  // Without reading, a client cannot answer the close.
  for (const { client } of slow) client.pause();
  const waiting = await open('e');
  waiting.client.send(LARGE);
  await eventually(() => expect(waiting.socket.isPaused).toBe(true));
  await clock.advance(5_000);
  expect(slow.map(({ socket }) => socket.readyState)).toContain(WebSocket.CLOSING);
  expect(waiting.heard).toEqual([]);
  await clock.advance(1_000);
  await eventually(() => expect(waiting.heard).toEqual([LARGE.length]));
});

test('ends a connection that does not read for 10 s while its large message waits for that, and receives the next one', async () => {
  const { clock, open } = await guarded();
  const [first, second] = [await open('a'), await open('a')];
  const closed = once(first.client, 'close');
  first.client.send(LARGE);
  await eventually(() => expect(first.heard).toHaveLength(1));
  first.guard.waitsForReader(new Promise(() => {}));
  second.client.send(LARGE);
  await clock.advance(10_000);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([
    1008,
    'You have not read for 10 s, so your message could not be handled. Read what the server sends.',
  ]);
  await clock.advance(65);
  await eventually(() => expect(second.heard).toEqual([LARGE.length]));
});

test('does not end a connection that has read in time', async () => {
  const { clock, open } = await guarded();
  const { client, heard, guard } = await open('a');
  client.send(LARGE);
  await eventually(() => expect(heard).toHaveLength(1));
  guard.waitsForReader(clock.pause(9_000));
  await clock.advance(9_000);
  await clock.advance(60_000);
  expect(client.readyState).toBe(WebSocket.OPEN);
});

test('keeps a connection whose message waits for the server, however long, and lets other users begin after 250 ms', async () => {
  const { clock, open } = await guarded();
  const slowed = [await open('a'), await open('b'), await open('c'), await open('d')];
  for (const { client } of slowed) client.send(LARGE);
  await eventually(() => expect(slowed.map(({ heard }) => heard.length)).toEqual([1, 1, 1, 1]));
  const [own, other] = [await open('a'), await open('e')];
  for (const { client } of [own, other]) client.send(LARGE);
  await eventually(() => expect([own.socket.isPaused, other.socket.isPaused]).toEqual([true, true]));
  await clock.advance(249);
  expect(other.heard).toEqual([]);
  await clock.advance(1);
  await eventually(() => expect(other.heard).toEqual([LARGE.length]));
  await clock.advance(600_000);
  expect(slowed.map(({ client }) => client.readyState)).toEqual([1, 1, 1, 1]);
  expect(own.heard).toEqual([]);
  slowed[0]?.handled();
  await clock.advance(65);
  await eventually(() => expect(own.heard).toEqual([LARGE.length]));
});

test('does not count the time in which an earlier message is handled for the arrival of the next', async () => {
  const { clock, open } = await guarded();
  const { client, heard, handled } = await open('a');
  client.send(LARGE);
  client.send(LARGE, { fin: false });
  await eventually(() => expect([heard.length, client.bufferedAmount]).toEqual([1, 0]));
  await clock.advance(120_000);
  expect(client.readyState).toBe(WebSocket.OPEN);
  const closed = once(client, 'close');
  handled();
  await clock.advance(65);
  await eventually(() => expect(clock.sleeping).toBe(2));
  await clock.advance(60_000);
  expect((await closed)[0]).toBe(1008);
});

test('slows down the next large message by what was not counted elsewhere, and by nothing else', async () => {
  const { clock, traffic, open } = await guarded({ busy: true });
  const slowDown = async () => {
    for (let n = 0; n < 8; n += 1) {
      traffic.note('b');
      void traffic.wait('a', LARGE.length / 2);
      await clock.advance(250);
    }
    await clock.advance(5_000);
    traffic.note('b');
    void traffic.wait('a', LARGE.length);
  };
  const delayOfNext = async (passedOn: number) => {
    const [first, second] = [await open('a'), await open('a')];
    first.client.send(LARGE);
    await eventually(() => expect(first.heard).toHaveLength(1));
    await slowDown();
    first.guard.passedOn(passedOn);
    second.client.send(LARGE);
    await eventually(() => expect(second.socket.isPaused).toBe(true));
    const began = clock.monotonic();
    first.handled();
    while (second.socket.isPaused) await clock.advance(10);
    await eventually(() => expect(second.heard).toHaveLength(1));
    second.guard.passedOn(LARGE.length);
    second.handled();
    await clock.advance(6_000);
    return clock.monotonic() - began - 6_000;
  };
  expect(await delayOfNext(LARGE.length)).toBeLessThan(100);
  expect(await delayOfNext(0)).toBeGreaterThan(900);
});

test('waits with the next large message of a user until the last one is stored', async () => {
  const { clock, open } = await guarded();
  const [first, second, other] = [await open('a'), await open('a'), await open('b')];
  first.client.send(LARGE);
  await eventually(() => expect(first.heard).toHaveLength(1));
  let store = (): void => {};
  first.guard.passedOn(
    LARGE.length,
    () =>
      new Promise<void>((resolve) => {
        store = resolve;
      }),
  );
  second.client.send(LARGE);
  await eventually(() => expect(second.socket.isPaused).toBe(true));
  first.handled();
  await clock.advance(6_000);
  expect(second.socket.isPaused).toBe(true);
  other.client.send(LARGE);
  await eventually(() => expect(other.heard).toHaveLength(1));
  store();
  await eventually(() => expect(second.heard).toHaveLength(1));
});

test('receives one message at a time for a user whose sockets hold 16 MiB', async () => {
  const { clock, open } = await guarded();
  const sockets: Awaited<ReturnType<typeof open>>[] = [];
  while (sockets.length < USER_BYTES / SMALL.length + 12) sockets.push(await open('a'));
  for (const { client } of sockets) client.send(SMALL);
  const bytesHeard = () => sockets.flatMap(({ heard }) => heard).reduce((sum, bytes) => sum + bytes, 0);
  await eventually(() => expect(sockets.filter(({ socket }) => socket.isPaused).length).toBeGreaterThan(0));
  expect(bytesHeard()).toBeLessThanOrEqual(USER_BYTES + SMALL.length);
  const before = bytesHeard();
  for (const { heard, handled } of sockets) if (heard.length > 0) handled();
  await clock.advance(65);
  await eventually(() => expect(bytesHeard()).toBeGreaterThan(before));
});

test('while memory is scarce, receives one message at a time for a user whose sockets hold 1 MiB', async () => {
  const { clock, open } = await guarded({ busy: false }, { scarcity: 1 });
  const sockets: Awaited<ReturnType<typeof open>>[] = [];
  while (sockets.length < 20) sockets.push(await open('a'));
  for (const { client } of sockets) client.send(SMALL);
  const bytesHeard = () => sockets.flatMap(({ heard }) => heard).reduce((sum, bytes) => sum + bytes, 0);
  await eventually(() => expect(sockets.filter(({ socket }) => socket.isPaused).length).toBeGreaterThan(0));
  expect(bytesHeard()).toBeLessThanOrEqual(1_048_576 + SMALL.length);
  const before = bytesHeard();
  for (const { heard, handled } of sockets) if (heard.length > 0) handled();
  await clock.advance(65);
  await eventually(() => expect(bytesHeard()).toBeGreaterThan(before));
});

test('while memory is scarce, receives two large messages at a time and shares two turns', () => {
  const turns = new Turns(new ManualClock(), { scarcity: 1 });
  const begun: string[] = [];
  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((subject) => turns.ask(subject, () => begun.push(subject)));
  expect(begun).toEqual(['a', 'b']);
  for (const turn of asked) turn.share();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  asked[0]?.end();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('begins and shares more turns once memory is ample again, and has no timer when no turn is waited for', async () => {
  const memory = { scarcity: 1 };
  const clock = new ManualClock();
  const turns = new Turns(clock, memory);
  const begun: string[] = [];
  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((subject) => turns.ask(subject, () => begun.push(subject)));
  for (const turn of asked) turn.share();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await clock.advance(1_000);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  memory.scarcity = 0;
  await clock.advance(250);
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  expect(clock.sleeping).toBe(1);
  asked[8]?.end();
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
});

test('while memory is scarce, two users who are slowed down do not keep others from sending large messages', async () => {
  const { clock, open } = await guarded({ busy: false }, { scarcity: 1 });
  const slowed = [await open('a'), await open('b')];
  for (const { client } of slowed) client.send(LARGE);
  await eventually(() => expect(slowed.map(({ heard }) => heard.length)).toEqual([1, 1]));
  const other = await open('c');
  other.client.send(LARGE);
  await eventually(() => expect(other.socket.isPaused).toBe(true));
  await clock.advance(249);
  expect(other.heard).toEqual([]);
  await clock.advance(1);
  await eventually(() => expect(other.heard).toEqual([LARGE.length]));
});

test('receives four large messages at a time, in order of arrival', () => {
  const turns = new Turns(new ManualClock());
  const begun: string[] = [];
  const ends = ['a', 'b', 'c', 'd', 'a', 'e', 'f'].map((subject) => turns.ask(subject, () => begun.push(subject)));
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  ends[1]?.end();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  ends[0]?.end();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});

test('shares four turns at a time, so that at most eight large messages are held, and another one when a shared turn ends', () => {
  const turns = new Turns(new ManualClock());
  const begun: string[] = [];
  const ask = (subject: string) => turns.ask(subject, () => begun.push(subject));
  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map(ask);
  for (const turn of asked) turn.share();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  asked[0]?.end();
  expect(begun.slice(8)).toEqual(['i']);
  asked[4]?.end();
  expect(begun.slice(8)).toEqual(['i', 'j']);
  asked[5]?.end();
  asked[1]?.end();
  expect(begun.slice(8)).toEqual(['i', 'j', 'k']);
});

test('gives no turn to a socket that stopped waiting', () => {
  const turns = new Turns(new ManualClock());
  const begun: string[] = [];
  const [first, second] = [1, 2, 3].map((number) => turns.ask('a', () => begun.push(String(number))));
  second?.end();
  first?.end();
  expect(begun).toEqual(['1', '3']);
});
