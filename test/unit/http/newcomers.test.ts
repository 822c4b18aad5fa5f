import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
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

const connecting = () => {
  const clock = new ManualClock();
  const newcomers = new Newcomers(clock);
  const connect = (address = '192.0.2.1') => {
    const socket = socketFrom(address);
    // It has what is used of a socket.
    newcomers.connected(socket as unknown as Socket);
    return socket;
  };
  const blame = (count: number) => {
    for (let n = 0; n < count; n += 1) newcomers.blame(socketFrom('192.0.2.1') as unknown as Socket);
  };
  return { clock, connect, blame };
};

describe('new connections of an address', () => {
  test('are read at once if none of its connections sent too many requests', async () => {
    const { clock, connect } = connecting();
    const socket = connect();
    await clock.advance(0);
    expect(socket.isRead).toBe(true);
  });

  test('are read one after another after one of them sent too many requests, later the more there were', async () => {
    const { clock, connect, blame } = connecting();
    blame(1_600);
    const [first, second, third, other] = [connect(), connect(), connect(), connect('192.0.2.2')];
    const read = () => [first, second, third, other].map(({ isRead }) => isRead);
    await clock.advance(319);
    expect(read()).toEqual([false, false, false, true]);
    await clock.advance(2);
    expect(read()).toEqual([true, false, false, true]);
    blame(1_000);
    await clock.advance(200);
    expect(read()).toEqual([true, false, false, true]);
    await clock.advance(30);
    expect(read()).toEqual([true, true, false, true]);
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
    await clock.advance(61_000);
    const socket = connect();
    await clock.advance(0);
    expect(socket.isRead).toBe(true);
  });
});
