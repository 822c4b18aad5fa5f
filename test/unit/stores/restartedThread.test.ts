import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { RestartedThread } from '../../../src/stores/embedded/restartedThread.ts';

const setUp = () => {
  const started: EventEmitter[] = [];
  const lost: string[] = [];
  let now = 0;
  const thread = new RestartedThread<string>({
    start: () => {
      const worker = new EventEmitter();
      started.push(worker);
      return worker as unknown as Worker;
    },
    onMessage: (message) => {
      if (message === 'refused') thread.lose(message);
    },
    onLost: (reason) => lost.push(reason),
    now: () => now,
  });
  const dies = () => started.at(-1)?.emit('error', new Error('no such directory'));
  const passes = (milliseconds: number) => {
    now += milliseconds;
  };
  return { thread, started, lost, dies, passes };
};

describe('a thread of a store', () => {
  it('starts again at the next use after it died', () => {
    const { thread, started, lost, dies } = setUp();
    expect(thread.worker).toBe(thread.worker);
    started[0]?.emit('message', 'ready');
    dies();
    expect(lost).toEqual(['no such directory']);
    expect(thread.worker).toBe(started[1]);
  });

  it.each([
    ['it died', (worker: EventEmitter) => worker.emit('error', new Error('no such directory'))],
    ['it said that it is refused', (worker: EventEmitter) => worker.emit('message', 'refused')],
  ])('does not start for a second if its start failed: %s', (_, fail) => {
    const { thread, started, passes } = setUp();
    fail(thread.worker as unknown as EventEmitter);
    passes(999);
    expect(() => thread.worker).toThrow(/^its thread did not start \((no such directory|refused)\); the next attempt is within a second$/);
    expect(started).toHaveLength(1);
    passes(1);
    expect(thread.worker).toBe(started[1]);
  });
});
