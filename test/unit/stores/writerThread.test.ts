import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { DataDirectoryRefused } from '../../../src/stores/embedded/dataDirectory.ts';
import { WriterThread } from '../../../src/stores/embedded/writerThread.ts';

/** Stands for a thread: says what the test says. */
class Started extends EventEmitter {
  readonly received: unknown[] = [];

  postMessage(message: unknown): void {
    this.received.push(message);
  }
}

const setUp = () => {
  const started: Started[] = [];
  let now = 0;
  const start = () => {
    started.push(new Started());
    return started.at(-1) as unknown as Worker;
  };
  const thread = new WriterThread<string, number>({ what: 'The file', start, now: () => now });
  const opened = () => started.at(-1)?.emit('message', { opened: null });
  const dies = () => started.at(-1)?.emit('error', new Error('no such directory'));
  const passes = (milliseconds: number) => {
    now += milliseconds;
  };
  return { thread, started, opened, dies, passes };
};

describe('a thread of a store', () => {
  it('gets the calls of a turn in one message, and answers each in order', async () => {
    const { thread, started, opened } = setUp();
    const results = Promise.allSettled([thread.call('a'), thread.call('b'), thread.call('c')]);
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    expect(started[0]?.received).toEqual([['a', 'b', 'c']]);
    opened();
    started[0]?.emit('message', { outcomes: [1, { failed: 'SQLITE_FULL', message: 'full' }] });
    started[0]?.emit('message', { outcomes: [3] });
    expect(await results).toMatchObject([
      { value: 1 },
      { reason: { name: 'StoreUnavailable', message: 'The file cannot write at the moment: the disk is full. Try again.' } },
      { value: 3 },
    ]);
  });

  it('starts again at the next call after it died, which fails what had been sent', async () => {
    const { thread, started, opened, dies } = setUp();
    const opening = thread.open();
    opened();
    await opening;
    const sent = thread.call('a');
    await new Promise((resolve) => process.nextTick(resolve));
    dies();
    await expect(sent).rejects.toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining('no such directory') });
    const next = thread.call('b');
    await new Promise((resolve) => process.nextTick(resolve));
    expect(started).toHaveLength(2);
    opened();
    started[1]?.emit('message', { outcomes: [2] });
    expect(await next).toBe(2);
  });

  it.each([
    ['it died', (worker: Started) => worker.emit('error', new Error('no such directory'))],
    ['it said that it is refused', (worker: Started) => worker.emit('message', { refused: 'no such directory' })],
  ])('does not start for a second if its start failed: %s', async (_, fail) => {
    const { thread, started, passes } = setUp();
    const opening = thread.open();
    fail(started[0] ?? new Started());
    await expect(opening).rejects.toThrow('no such directory');
    passes(999);
    await expect(thread.call('a')).rejects.toThrow(/its thread did not start \(no such directory\); the next attempt is within a second/);
    expect(started).toHaveLength(1);
    passes(1);
    void thread.call('b');
    await new Promise((resolve) => process.nextTick(resolve));
    expect(started).toHaveLength(2);
  });

  it('refuses to open a file that cannot be used', async () => {
    const { thread, started } = setUp();
    const opening = thread.open();
    started[0]?.emit('message', { refused: 'some.db cannot be opened: no' });
    await expect(opening).rejects.toEqual(new DataDirectoryRefused('some.db cannot be opened: no'));
  });
});
