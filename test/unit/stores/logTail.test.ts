import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../../src/logger.ts';
import { LogTail } from '../../../src/stores/eventstoredb/logTail.ts';
import { ManualClock } from '../../manualClock.ts';

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
