import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/logger.ts';
import { reconnectWhenStuck } from '../../../src/stores/mongodb/stuckPool.ts';
import { ManualClock } from '../../manualClock.ts';

/** What a client of the driver reports of its pool. The race that blocks a pool cannot be made on purpose. */
const pool = () => {
  const clock = new ManualClock();
  const events = new EventEmitter();
  const calls: string[] = [];
  const client = {
    on: events.on.bind(events),
    close: async () => void calls.push('close'),
    connect: async () => void calls.push('connect'),
  } as unknown as MongoClient;
  reconnectWhenStuck(client, clock, silentLogger);
  return { clock, calls, timeOut: () => events.emit('connectionCheckOutFailed', { reason: 'timeout' }), events };
};

test('connects again when callers wait in vain and no connection was used or made for 15 seconds', async () => {
  const { clock, calls, timeOut } = pool();
  await clock.advance(14_000);
  timeOut();
  await clock.advance(1_000);
  expect(calls).toEqual([]);
  timeOut();
  timeOut();
  await clock.advance(0);
  expect(calls).toEqual(['close', 'connect']);
});

test.each(['connectionReady', 'connectionCheckedIn', 'connectionPoolCleared'])('does not while its pool reports %s', async (event) => {
  const { clock, calls, timeOut, events } = pool();
  await clock.advance(14_000);
  events.emit(event);
  await clock.advance(14_000);
  timeOut();
  await clock.advance(0);
  expect(calls).toEqual([]);
});
