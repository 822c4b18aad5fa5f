import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { ignoreUpgrade } from '../../../src/http/gateway/webSocket/ignoreUpgrade.ts';
import type { HttpServer } from '../../../src/http/server/server.ts';
import { watchMemory } from '../../../src/supervision/scarceMemory.ts';
import { eventually } from '../../eventually.ts';
import { chunked, DENSE_READ, LAST_CHUNK, lengthOf, nextTurn, openRaw, type RawConnection, takingServer } from './rawConnection.ts';

const GET = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n';
const LONG_BODY = DENSE_READ.repeat(10);

/** A clock on which this much time passes whenever somebody looks at it. */
const hurryingClock = (milliseconds: number): Clock & { pauses: number[] } => {
  let now = 0;
  const pauses: number[] = [];
  return {
    ...systemClock,
    pauses,
    monotonic: () => {
      now += milliseconds;
      return now;
    },
    pause: (time, signal) => {
      if (time > 1_000) return systemClock.pause(time, signal);
      pauses.push(time);
      return systemClock.pause(0);
    },
  };
};

/** Connections that have had an answer before, if `asked`. */
const openMany = (server: HttpServer, count: number, asked: boolean): Promise<RawConnection[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await openRaw(server, asked ? GET : '');
      if (asked) await once(connection.socket, 'data');
      return connection;
    }),
  );

/** Sends the same bytes on all connections at the same moment, and counts the requests and chunks that are announced in each turn of the event loop. */
const announcedInTurns = async ({ server }: HttpServer, connections: readonly RawConnection[], bytes: string) => {
  const announced = { requests: 0, chunks: 0 };
  const count = (incoming: IncomingMessage): void => {
    announced.requests += 1;
    process.nextTick(() => {
      const { push } = incoming;
      incoming.push = (chunk) => {
        announced.chunks += 1;
        return push.call(incoming, chunk);
      };
    });
  };
  server.on('request', count).on('checkExpectation', count);
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  const before = connections.map(({ text }) => text().length);
  for (const { socket } of connections) socket.write(bytes);
  const most = { requests: 0, chunks: 0 };
  const isAnswered = () => connections.every(({ text, socket }, index) => text().length > (before[index] ?? 0) || socket.destroyed);
  while (!isAnswered()) {
    const known = { ...announced };
    await nextTurn();
    most.requests = Math.max(most.requests, announced.requests - known.requests);
    most.chunks = Math.max(most.chunks, announced.chunks - known.chunks);
  }
  return { announced, most };
};

/** A server with a connection whose dense body waits for its next turn until the test has finished, or calls `release`. */
const withWaitingBody = async () => {
  let release = (): void => {};
  let isWaiting = false;
  const released = new Promise<'elapsed'>((resolve) => {
    release = () => resolve('elapsed');
  });
  const clock: Clock = {
    ...systemClock,
    pause: async (time, signal) => {
      if (time === 0 || time > 500) return systemClock.pause(time, signal);
      isWaiting = true;
      await released;
      return systemClock.pause(time);
    },
  };
  const { server, bodies } = await takingServer(clock);
  const sockets: Socket[] = [];
  server.server.on('connection', (socket) => sockets.push(socket));
  const { socket, text } = await openRaw(server, chunked('/taken') + LONG_BODY);
  onTestFinished(release);
  await eventually(() => isWaiting);
  // There is one: the server has read from it.
  const [served] = sockets as [Socket];
  return { server, bodies, socket, text, served, release };
};

describe('dense reads', () => {
  const headWith = (line: string): string => chunked('/taken', line);
  const manyLines = Array.from({ length: 250 }, () => 'a: b').join('\r\n');

  test.each([
    ['new connections', false, chunked('/taken')],
    ['connections that have had an answer', true, chunked('/taken')],
    ['requests that are refused for what they expect', false, headWith('Expect: something')],
    ['requests with too many header lines', false, headWith(manyLines)],
  ])('of %s are parsed one in a turn, 1,024 chunks at most, if they arrive at the same moment', async (_, asked, head) => {
    const { server } = await takingServer();
    const connections = await openMany(server, 20, asked);
    const { announced, most } = await announcedInTurns(server, connections, head + DENSE_READ + LAST_CHUNK);
    if (head === chunked('/taken')) expect(announced.chunks).toBeGreaterThanOrEqual(200_000);
    expect(most.chunks).toBeLessThanOrEqual(1_024);
  });

  test('of very many requests are parsed one in a turn, until the connection is closed', async () => {
    const { server } = await takingServer();
    const connections = await openMany(server, 10, true);
    const { most } = await announcedInTurns(server, connections, GET.repeat(1_000));
    expect(most.requests).toBeLessThanOrEqual(18);
    await Promise.all(connections.map(({ closed }) => closed));
  });

  test('of open bodies are parsed one in a turn', async () => {
    const { server, bodies } = await takingServer();
    const connections = await Promise.all(Array.from({ length: 8 }, () => openRaw(server, chunked('/taken'))));
    while (bodies.length < connections.length) await nextTurn();
    await nextTurn();
    for (const { socket } of connections) socket.write(LONG_BODY);
    const begun = (): number => bodies.filter((pieces) => pieces.length > 0).length;
    const seen: number[] = [];
    while (begun() < connections.length) {
      seen.push(begun());
      await nextTurn();
    }
    seen.push(begun());
    expect(Math.max(...seen.map((count, turn) => count - (seen[turn - 1] ?? 0)))).toBeLessThanOrEqual(2);
  });

  test('wait for their share of the time, and others are read meanwhile', async () => {
    const { server, bodies, socket, text, release } = await withWaitingBody();
    const other = await openRaw(server, `${chunked('/taken')}10000\r\n${'x'.repeat(65_536)}\r\n${LAST_CHUNK}`);
    await eventually(() => other.text().endsWith('65536'));
    expect(lengthOf(bodies[0] ?? [])).toBeLessThan(2_000);
    release();
    socket.write(LAST_CHUNK);
    await eventually(() => expect(text()).toMatch(/\r\n\r\n100000$/));
  });

  test('wait in proportion to what those before them took, for half a second at most', async () => {
    const clock = hurryingClock(40);
    const { server } = await takingServer(clock);
    const { text } = await openRaw(server, chunked('/taken') + LONG_BODY + LAST_CHUNK);
    await eventually(() => expect(text()).toMatch(/100000$/));
    // Looking at the clock to see what is left takes 40 ms too.
    expect(clock.pauses[0]).toBe(7 * 40 - 40);
    const slow = hurryingClock(100);
    const { server: slowServer } = await takingServer(slow);
    const last = await openRaw(slowServer, chunked('/taken') + LONG_BODY + LAST_CHUNK);
    await eventually(() => expect(last.text()).toMatch(/100000$/));
    expect(Math.max(...slow.pauses)).toBe(500 - 100);
  });

  test('do not keep text of a known length waiting, whose lines are as short', async () => {
    const { server } = await withWaitingBody();
    const text = 'ab\r\n\r\n'.repeat(50_000);
    const head = `POST /taken HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n`;
    const other = await openRaw(server, head + text + GET);
    await eventually(() => expect(other.text()).toMatch(/\r\n\r\n300000HTTP\/1.1 404/));
  });

  test.each([
    ['in the read of its headers', false],
    ['in later reads', true],
  ])('do not keep chunks of text waiting, whose lines are as short, %s', async (_, apart) => {
    const { server, bodies } = await withWaitingBody();
    const text = 'ab\r\n\r\n'.repeat(10_000);
    const chunk = `${text.length.toString(16)};name=value\r\n${text}\r\n`;
    const other = await openRaw(server, apart ? chunked('/taken') : chunked('/taken') + chunk);
    if (apart) await eventually(() => bodies.length > 1);
    other.socket.write(chunk.repeat(apart ? 5 : 4) + LAST_CHUNK + GET);
    await eventually(() => expect(other.text()).toMatch(/\r\n\r\n300000HTTP\/1.1 404/));
  });

  test.each([
    ['in the read of its headers', false],
    ['in later reads', true],
  ])('do not keep text waiting whose request offers an upgrade that is ignored, %s', async (_, apart) => {
    const { server, bodies } = await withWaitingBody();
    server.server.on('upgrade', (request, socket, first) => ignoreUpgrade(server.server, request, socket, first));
    const text = 'ab\r\n\r\n'.repeat(50_000);
    const lines = ['POST /taken HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: h2c', `Content-Length: ${text.length}`];
    const head = `${lines.join('\r\n')}\r\n\r\n`;
    const other = await openRaw(server, apart ? head : head + text);
    if (apart) {
      await eventually(() => bodies.length > 1);
      other.socket.write(text);
    }
    await eventually(() => expect(other.text()).toMatch(/\r\n\r\n300000$/));
  });

  test('behind a body of a known length wait', async () => {
    const { server, bodies } = await withWaitingBody();
    const head = 'POST /taken HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345';
    await openRaw(server, head + chunked('/taken') + LONG_BODY);
    await eventually(() => bodies.length > 1);
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(lengthOf(bodies[1] ?? [])).toBe(5);
    expect(lengthOf(bodies[2] ?? [])).toBeLessThan(2_000);
  });

  test('behind the last chunk of such a text wait', async () => {
    const { server, bodies } = await withWaitingBody();
    const chunk = `6\r\nab\r\n\r\n\r\n`;
    await openRaw(server, chunked('/taken') + chunk + LAST_CHUNK + chunked('/taken') + LONG_BODY);
    await eventually(() => bodies.length > 1);
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(bodies.map(lengthOf)[1]).toBe(6);
    expect(lengthOf(bodies[2] ?? [])).toBeLessThan(2_000);
  });

  test('are not read any further while they wait, even if their body is wanted', async () => {
    const { served } = await withWaitingBody();
    served.pause();
    served.resume();
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(served.bytesRead).toBeLessThanOrEqual(65_536);
  });

  test('that wait do not count as silence of their client', async () => {
    const { served, release, text, socket } = await withWaitingBody();
    served.emit('timeout');
    await nextTurn();
    expect(served.destroyed).toBe(false);
    release();
    socket.write(LAST_CHUNK);
    await eventually(() => expect(text()).toMatch(/\r\n\r\n100000$/));
  });

  test.each([
    ['in later reads are passed on at once', false],
    ['in the read of its request are passed on whole when it is their turn', true],
  ])('behind an upgrade %s', async (_, together) => {
    const { server, release } = await withWaitingBody();
    let received = '';
    const upgraded = new Promise((resolve) => {
      server.server.on('upgrade', (_request, duplex: Duplex, first: Buffer) => {
        if (first.length > 0) duplex.unshift(first);
        duplex.on('data', (bytes: Buffer) => {
          received += bytes.toString();
        });
        resolve(duplex);
      });
    });
    const request = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
    const { socket } = await openRaw(server, together ? request + LONG_BODY : request);
    if (together) release();
    await upgraded;
    if (!together) socket.write(LONG_BODY);
    await eventually(() => expect(received).toHaveLength(LONG_BODY.length));
    expect(received).toBe(LONG_BODY);
  });
});

describe('other reads', () => {
  test('of live sources are parsed together: they do not wait for a turn each', async () => {
    const { server, bodies } = await takingServer();
    const connections = await Promise.all(Array.from({ length: 30 }, () => openRaw(server, chunked('/taken'))));
    const turnsUntil = async (isSo: () => boolean): Promise<number> => {
      let turns = 0;
      for (; !isSo(); turns += 1) await nextTurn();
      return turns;
    };
    const haveAll = (count: number) => () => bodies.filter((pieces) => pieces.length >= count).length === connections.length;
    await turnsUntil(() => bodies.length === connections.length);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const { socket } of connections) socket.write('3\r\nabc\r\n');
    await turnsUntil(haveAll(1));
    for (const { socket } of connections) socket.write('3\r\nabc\r\n');
    expect(await turnsUntil(haveAll(2))).toBeLessThan(15);
  });

  test('wait for the next turn once a turn has taken 20 ms', async () => {
    const { server } = await takingServer(hurryingClock(15));
    const connections = await openMany(server, 20, true);
    const { announced, most } = await announcedInTurns(server, connections, GET);
    expect(announced.requests).toBe(20);
    // Two as they arrive, and one of those that wait.
    expect(most.requests).toBeLessThanOrEqual(3);
  });

  /** Most reads in one turn of the event loop, of 20 upgraded connections that all receive a message at the same moment. */
  const upgradedReadsInTurn = async (clock: Clock): Promise<number> => {
    const { server } = await takingServer(clock);
    const upgraded: { read: string }[] = [];
    let reads = 0;
    server.server.on('upgrade', (_request, duplex: Duplex) => {
      const one = { read: '' };
      upgraded.push(one);
      duplex.on('data', (bytes: Buffer) => {
        one.read += bytes;
        reads += 1;
      });
    });
    const request = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
    const connections = await Promise.all(Array.from({ length: 20 }, () => openRaw(server, request)));
    await eventually(() => upgraded.length === 20);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    let most = 0;
    for (const { socket } of connections) socket.write('a message');
    while (!upgraded.every(({ read }) => read === 'a message')) {
      const before = reads;
      await nextTurn();
      most = Math.max(most, reads - before);
    }
    // Those that had to wait are read further.
    for (const { socket } of connections) socket.write('.');
    await eventually(() => upgraded.every(({ read }) => read === 'a message.'));
    return most;
  };

  test('behind an upgrade wait for the next turn once a turn has taken 20 ms', async () => {
    expect(await upgradedReadsInTurn(hurryingClock(15))).toBeLessThanOrEqual(3);
  });

  test('behind an upgrade are passed on together before', async () => {
    expect(await upgradedReadsInTurn(hurryingClock(0))).toBeGreaterThan(3);
  });

  test('of known and of new connections are taken alternately then', async () => {
    const { server } = await takingServer(hurryingClock(15));
    const known = await openMany(server, 10, true);
    const fresh = await openMany(server, 10, false);
    const order: string[] = [];
    server.server.on('request', ({ url }) => order.push(url ?? ''));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const { socket } of fresh) socket.write(GET.replace('none', 'fresh'));
    for (const { socket } of known) socket.write(GET.replace('none', 'known'));
    await eventually(() => expect(order).toHaveLength(20));
    expect(order.slice(0, 10).filter((url) => url === '/known').length).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['ended', (socket: Socket) => socket.destroy()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('that find a connection %s wait for the next turn too', async (_, end) => {
    const { server } = await takingServer(hurryingClock(15));
    let closed = 0;
    server.server.on('connection', (socket) => socket.once('close', () => (closed += 1)));
    // An unfinished body: its request ends with the connection.
    const connections = await Promise.all(Array.from({ length: 20 }, () => openRaw(server, chunked('/left'))));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const { socket } of connections) end(socket);
    let most = 0;
    while (closed < 20) {
      const before = closed;
      await nextTurn();
      most = Math.max(most, closed - before);
    }
    // Without turns, nearly all of them.
    expect(most).toBeLessThanOrEqual(7);
  });
});

describe('unfinished headers', () => {
  const BEGUN = `GET /none HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${'x'.repeat(300)}\r\n`.repeat(190)}`;

  test('of all connections have a limit, which falls while memory is scarce: the oldest are closed', async () => {
    watchMemory({ scarcity: 1 });
    onTestFinished(() => watchMemory({ scarcity: 0 }));
    const { server } = await takingServer();
    const connections = await Promise.all(Array.from({ length: 200 }, () => openRaw(server, BEGUN)));
    let closed = 0;
    for (const connection of connections) void connection.closed.then(() => (closed += 1));
    // Each has 60,000 bytes, and 8 MiB may be unfinished.
    await eventually(() => expect(closed).toBeGreaterThanOrEqual(55));
    expect(closed).toBeLessThan(70);
    const { text } = await openRaw(server, GET);
    await eventually(() => expect(text()).toContain('HTTP/1.1 404'));
    const open = connections.filter(({ socket }) => !socket.destroyed);
    open[0]?.socket.write('\r\n');
    await eventually(() => expect(open[0]?.text()).toContain('HTTP/1.1 404'));
  });

  test.each([
    ['a body', (text: string) => `Content-Length: ${text.length}\r\n\r\n${text}`],
    ['a chunked body', (text: string) => `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n${LAST_CHUNK}`],
  ])('do not include %s that has arrived, nor one that arrives', async (_, withBody) => {
    watchMemory({ scarcity: 1 });
    onTestFinished(() => watchMemory({ scarcity: 0 }));
    const { server } = await takingServer();
    const request = `POST /taken HTTP/1.1\r\nHost: x\r\n${withBody('x'.repeat(60_000))}`;
    const connections = await Promise.all(Array.from({ length: 200 }, () => openRaw(server, request.slice(0, -40_000))));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const { socket } of connections) socket.write(request.slice(-40_000));
    const answered = (times: number) => connections.filter(({ text }) => text().split('60000').length > times).length;
    await eventually(() => expect(answered(1)).toBe(200));
    // The idle connections serve further requests, each in one read.
    for (const { socket } of connections) socket.write(request);
    await eventually(() => expect(answered(2)).toBe(200));
  });

  test('do not include the header of a session that was upgraded', async () => {
    watchMemory({ scarcity: 1 });
    onTestFinished(() => watchMemory({ scarcity: 0 }));
    const { server } = await takingServer();
    const upgraded: Duplex[] = [];
    server.server.on('upgrade', (_request, duplex: Duplex) => upgraded.push(duplex));
    const filler = `X-Filler: ${'x'.repeat(300)}\r\n`.repeat(90);
    const handshake = `GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n${filler}\r\n!`;
    for (let n = 0; n < 200; n += 1) await openRaw(server, handshake);
    await eventually(() => expect(upgraded).toHaveLength(200));
    await Promise.all(Array.from({ length: 200 }, () => openRaw(server, BEGUN)));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(upgraded.filter(({ destroyed }) => destroyed)).toEqual([]);
  });
});
