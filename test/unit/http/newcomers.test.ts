import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ProxyTrust } from '../../../src/http/server/clientAddress.ts';
import { Newcomers } from '../../../src/http/server/newcomers.ts';
import { ManualClock } from '../../manualClock.ts';

/** A socket of which only the reading matters. */
const socketFrom = (remoteAddress: string) => {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    isRead: true,
    pause: () => {
      socket.isRead = false;
    },
    resume: () => {
      socket.isRead = true;
    },
  });
  return socket;
};

const connecting = (trusts: ProxyTrust = () => false) => {
  const clock = new ManualClock();
  const newcomers = new Newcomers(clock, trusts);
  const connect = (address = '192.0.2.1') => {
    const socket = socketFrom(address);
    // It has what is used of a socket.
    newcomers.connected(socket as unknown as Socket);
    return socket;
  };
  const blame = (count: number) => {
    for (let n = 0; n < count; n += 1) newcomers.blame(socketFrom('192.0.2.1') as unknown as Socket, 0.2);
  };
  return { clock, newcomers, connect, blame };
};

describe('new connections of an address', () => {
  test('are read at once if none of its connections sent too many requests', async () => {
    const { clock, connect } = connecting();
    const socket = connect();
    await clock.advance(0);
    expect(socket.isRead).toBe(true);
  });

  test('are read one in a turn of the event loop if they arrive together', async () => {
    const { connect } = connecting();
    const sockets = Array.from({ length: 4 }, () => connect());
    const read = () => sockets.filter(({ isRead }) => isRead).length;
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => process.nextTick(resolve));
      seen.push(read());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual([1, 1, 2, 3]);
  });

  test('do not wait for those of other addresses', async () => {
    const { connect } = connecting();
    for (let n = 0; n < 100; n += 1) connect('192.0.2.1');
    const other = connect('192.0.2.2');
    await new Promise((resolve) => process.nextTick(resolve));
    expect(other.isRead).toBe(true);
  });

  test('are read at once if they arrive together from a trusted proxy', async () => {
    const { connect } = connecting((address) => address === '192.0.2.1');
    const sockets = [connect(), connect(), connect()];
    await new Promise((resolve) => process.nextTick(resolve));
    expect(sockets.map(({ isRead }) => isRead)).toEqual([true, true, true]);
  });

  test('wait like those that come later if one that arrived with them sends too many requests', async () => {
    const { clock, newcomers, connect, blame } = connecting();
    const [first, second, third] = [connect(), connect(), connect()];
    newcomers.asked(first as unknown as Socket);
    blame(100);
    await clock.advance(19);
    expect([first, second, third].map(({ isRead }) => isRead)).toEqual([true, false, false]);
    await clock.advance(2);
    expect([first, second, third].map(({ isRead }) => isRead)).toEqual([true, true, false]);
  });

  test('are read one after another after one of them sent too many requests, later the more there were', async () => {
    const { clock, newcomers, connect, blame } = connecting();
    blame(1_600);
    const [first, second, third, other] = [connect(), connect(), connect(), connect('192.0.2.2')];
    const read = () => [first, second, third, other].map(({ isRead }) => isRead);
    await clock.advance(319);
    expect(read()).toEqual([false, false, false, true]);
    await clock.advance(2);
    expect(read()).toEqual([true, false, false, true]);
    newcomers.asked(first as unknown as Socket);
    blame(1_000);
    await clock.advance(200);
    expect(read()).toEqual([true, false, false, true]);
    await clock.advance(6);
    expect(read()).toEqual([true, true, false, true]);
  });

  test('are paused when one of them sends too many requests, if they are open but have not sent any', async () => {
    const { clock, newcomers, connect, blame } = connecting();
    const [silent, other, elsewhere] = [connect(), connect(), connect('192.0.2.2')];
    await clock.advance(0);
    newcomers.asked(other as unknown as Socket);
    blame(100);
    expect([silent, other, elsewhere].map(({ isRead }) => isRead)).toEqual([false, true, true]);
    await clock.advance(21);
    expect(silent.isRead).toBe(true);
  });

  test('do not wait for one that has closed', async () => {
    const { clock, connect, blame } = connecting();
    blame(100);
    const [first, second] = [connect(), connect()];
    first.destroyed = true;
    await clock.advance(25);
    expect(second.isRead).toBe(true);
  });

  test('are read at once again after a minute', async () => {
    const { clock, connect, blame } = connecting();
    blame(100);
    // Other callers behind the same address do not prolong it.
    await clock.advance(40_000);
    connect();
    await clock.advance(21_000);
    const sockets = [connect(), connect()];
    await clock.advance(0);
    expect(sockets.map(({ isRead }) => isRead)).toEqual([true, true]);
  });

  test('wait at most two seconds after many of them sent too many requests, then are read in quick succession', async () => {
    const { clock, connect, blame } = connecting();
    blame(160_000);
    const sockets = Array.from({ length: 100 }, () => connect());
    const read = () => sockets.filter(({ isRead }) => isRead).length;
    await clock.advance(1_999);
    expect(read()).toBe(0);
    await clock.advance(1);
    expect(read()).toBe(1);
    await clock.advance(500);
    expect(read()).toBe(100);
  });

  test('are read at once if the address is a trusted proxy', async () => {
    const { clock, connect, blame } = connecting((address) => address === '192.0.2.1');
    blame(1_600);
    const sockets = [connect(), connect()];
    await clock.advance(0);
    expect(sockets.map(({ isRead }) => isRead)).toEqual([true, true]);
  });

  test('take one turn each, even if Node announces one twice', async () => {
    const { clock, newcomers, connect, blame } = connecting();
    const known = connect();
    newcomers.asked(known as unknown as Socket);
    blame(100);
    newcomers.connected(known as unknown as Socket);
    await clock.advance(0);
    expect(known.isRead).toBe(true);
  });
});
