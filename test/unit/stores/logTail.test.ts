import streams from '@eventstore/db-client/generated/streams_pb.js';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../../src/logger.ts';
import { LogTail } from '../../../src/stores/eventstoredb/logTail.ts';
import { EventRecord } from '../../../src/stores/eventstoredb/record.ts';
import { ManualClock } from '../../manualClock.ts';

const recordAt = (position: number): EventRecord => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setCommitPosition(String(position));
  recorded.setPreparePosition(String(position));
  recorded.setStreamRevision('0');
  return new EventRecord(recorded);
};

it('polls the log 20 times a second while every live subscription is dropped', async () => {
  const clock = new ManualClock();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  let pages = 0;
  const tail = new LogTail({
    clock,
    logger: silentLogger,
    page: async () => {
      pages += 1;
      return { records: [], last: true };
    },
    wakeUp: async () => 'dropped',
    patienceMilliseconds: 5_000,
    signal: over.signal,
  });
  tail.start(null);
  for (let n = 0; n < 100; n += 1) await clock.advance(50);
  expect(pages).toBeGreaterThanOrEqual(100);
});

it('reads a page every 20 ms while events keep coming, and at once after a rest', async () => {
  const clock = new ManualClock();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const read: number[] = [];
  let isBusy = true;
  let wake = (): void => undefined;
  const tail = new LogTail({
    clock,
    logger: silentLogger,
    page: async () => {
      read.push(clock.monotonic());
      return { records: isBusy ? [recordAt(read.length)] : [], last: true };
    },
    wakeUp: () =>
      new Promise((resolve) => {
        wake = () => resolve('news');
      }),
    patienceMilliseconds: 5_000,
    signal: over.signal,
  });
  tail.start(null);
  const began = clock.monotonic();
  for (let n = 0; n < 200; n += 1) await clock.advance(1);
  expect(read.map((at) => at - began)).toEqual([0, 5, 15, 35, 55, 75, 95, 115, 135, 155, 175, 195]);
  isBusy = false;
  for (let n = 0; n < 40; n += 1) await clock.advance(1);
  isBusy = true;
  read.length = 0;
  const woken = clock.monotonic();
  wake();
  for (let n = 0; n < 8; n += 1) await clock.advance(1);
  expect(read.map((at) => at - woken)).toEqual([0, 5]);
});
