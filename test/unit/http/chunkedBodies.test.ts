import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { ManualClock } from '../../manualClock.ts';
import { route, serve } from './testServer.ts';

const CHUNKS = 100_000;
const HEAD = ['POST /taken HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', '', ''].join('\r\n');
const BODY = '1\r\nx\r\n'.repeat(CHUNKS);
const END = '0\r\n\r\n';
/** Fits into one read. */
const DENSE_READ = '1\r\nx\r\n'.repeat(10_000);

/** A server that takes bodies of any kind and counts the pieces in which each arrives. */
const started = async (clock?: Clock) => {
  const pieces: number[][] = [];
  const taken = route({
    path: '/taken',
    method: 'POST',
    body: { kind: 'raw', contentTypes: ['*/*'] },
    handle: async ({ incoming }) => {
      const mine: number[] = [];
      pieces.push(mine);
      let bytes = 0;
      for await (const piece of incoming) {
        mine.push(piece.length);
        bytes += piece.length;
      }
      return { status: 200, body: bytes };
    },
  });
  const answered = route({ path: '/answered', method: 'POST', handle: async () => ({ status: 200, body: 'ok' }) });
  return { server: await serve([taken, answered], {}, clock ? { clock } : {}), pieces };
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const sending = async (port: number, text: string): Promise<{ socket: Socket; answer: () => string }> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      answer += chunk.toString();
    });
  await once(socket, 'connect');
  socket.write(text);
  return { socket, answer: () => answer };
};

test('a body of 100,000 chunks of one byte arrives whole, in a few pieces', async () => {
  const { server, pieces } = await started();
  const { socket, answer } = await sending(server.port, HEAD + BODY + END);
  await once(socket, 'data');
  expect(answer()).toMatch(new RegExp(`\\r\\n\\r\\n${CHUNKS}$`));
  expect(pieces[0]?.length).toBeLessThan(CHUNKS / 100);
});

test('requests behind a chunked body are answered, in their order', async () => {
  const { server } = await started();
  const { socket, answer } = await sending(server.port, `${HEAD}3\r\nabc\r\n${END}`.repeat(3));
  while ((answer().match(/HTTP\/1.1 200/g) ?? []).length < 3) await once(socket, 'data');
});

test('a chunked body of a request that was answered before is read to its end, so that the next request is answered', async () => {
  const { server } = await started();
  const { socket, answer } = await sending(server.port, HEAD.replace('taken', 'answered'));
  await once(socket, 'data');
  socket.write(`${BODY}${END}${HEAD}3\r\nabc\r\n${END}`);
  while (!answer().endsWith('\r\n\r\n3')) await once(socket, 'data');
});

test('connections whose chunks are tiny wait for their share of the time, and others are read meanwhile', async () => {
  const clock = new ManualClock();
  const { server, pieces } = await started(clock);
  const other = await sending(server.port, `${HEAD}3\r\nabc\r\n${END}`);
  await once(other.socket, 'data');
  const dense = await sending(server.port, HEAD + BODY + END);
  other.socket.write(`${HEAD}10000\r\n${'x'.repeat(65_536)}\r\n${END}`);
  while (!other.answer().endsWith('65536')) await once(other.socket, 'data');
  expect(pieces.length).toBeGreaterThan(1);
  const received = (pieces[1] ?? []).reduce((sum, length) => sum + length, 0);
  expect(received).toBeLessThan(CHUNKS);
  const answered = once(dense.socket, 'data');
  for (let isOver = false; !isOver; await nextTurn()) {
    void answered.then(() => {
      isOver = true;
    });
    await clock.advance(100);
  }
});

test('connections whose chunks are tiny wait in proportion to what their reads took', async () => {
  const pauses: number[] = [];
  let now = 0;
  const slow: Clock = {
    ...systemClock,
    monotonic: () => {
      now += 100;
      return now;
    },
    pause: (milliseconds, signal) => {
      if (milliseconds > 1_000) return systemClock.pause(milliseconds, signal);
      pauses.push(milliseconds);
      return systemClock.pause(0);
    },
  };
  const { server } = await started(slow);
  const dense = await sending(server.port, HEAD + BODY + END);
  await once(dense.socket, 'data');
  expect(Math.max(...pauses)).toBeGreaterThan(100);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(500);
});

test('a dense body keeps no connection from being read that has received its whole body', async () => {
  const { server, pieces } = await started();
  const other = await sending(server.port, HEAD);
  while (pieces.length === 0) await nextTurn();
  await nextTurn();
  other.socket.write(END);
  await once(other.socket, 'data');
  const dense = await sending(server.port, HEAD + BODY + END);
  other.socket.write(`${HEAD}3\r\nabc\r\n${END}`);
  while (!other.answer().endsWith('\r\n\r\n3')) await once(other.socket, 'data');
  if (dense.answer() === '') await once(dense.socket, 'data');
});

test('bodies whose data arrive together are read one in a turn if they are dense', async () => {
  const { server, pieces } = await started();
  const sockets = await Promise.all(Array.from({ length: 8 }, () => sending(server.port, HEAD)));
  while (pieces.length < sockets.length) await nextTurn();
  await nextTurn();
  for (const { socket } of sockets) socket.write(BODY);
  const begun = (): number => pieces.filter((mine) => mine.length > 0).length;
  const seen: number[] = [];
  while (begun() < sockets.length) {
    seen.push(begun());
    await nextTurn();
  }
  expect(Math.max(...seen.map((count, turn) => count - (seen[turn - 1] ?? 0)))).toBeLessThanOrEqual(2);
});

describe('open connections that have sent nothing before', () => {
  const headWith = (line: string): string => HEAD.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`);

  test.each([
    ['', HEAD],
    [', also if they are refused for what they expect', headWith('Expect: something')],
    [', also behind too many header lines', HEAD.replace('Transfer', `${'a: b\r\n'.repeat(250)}Transfer`)],
  ])('are parsed one in a turn, if dense bodies arrive on all of them at the same moment%s', async (_, head) => {
    const { server } = await started();
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    server.server.on('request', count).on('checkExpectation', count);
    const sockets = await Promise.all(Array.from({ length: 20 }, () => sending(server.port, '')));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const { socket } of sockets) socket.write(head + DENSE_READ + END);
    let most = 0;
    for (let before = 0; before < sockets.length; before = parsed) {
      await nextTurn();
      most = Math.max(most, parsed - before);
    }
    expect(most).toBe(1);
    for (const { socket, answer } of sockets) if (answer() === '') await once(socket, 'data');
  });
});

test('live sources are read together: they do not wait for a turn each', async () => {
  const { server, pieces } = await started();
  const sockets = await Promise.all(Array.from({ length: 30 }, () => sending(server.port, HEAD)));
  const turnsUntil = async (isSo: () => boolean): Promise<number> => {
    let turns = 0;
    for (; !isSo(); turns += 1) await nextTurn();
    return turns;
  };
  const haveAll = (count: number) => () => pieces.filter((mine) => mine.length >= count).length === sockets.length;
  await turnsUntil(() => pieces.length === sockets.length);
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  for (const { socket } of sockets) socket.write('3\r\nabc\r\n');
  await turnsUntil(haveAll(1));
  for (const { socket } of sockets) socket.write('3\r\nabc\r\n');
  expect(await turnsUntil(haveAll(2))).toBeLessThan(15);
});
