import { describe, expect, it } from 'vitest';
import { UploadsInHand } from '../../../src/commands/uploadsInHand.ts';
import { UploadsFirst } from '../../../src/processors/runner/uploadsFirst.ts';
import { ManualClock } from '../../manualClock.ts';

const open = (streamLimit?: number) => {
  const clock = new ManualClock();
  const uploads = new UploadsInHand();
  const first = new UploadsFirst(clock, uploads, streamLimit);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  /** A run that ends when `endAll` is called. */
  const run = (name: string, owner = 'someone'): void => {
    void first.run(owner, () => {
      started.push(name);
      return new Promise((resolve) => ends.push(resolve));
    });
  };
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0)) end();
    await clock.advance(0);
  };
  const arrive = (count: number) => Array.from({ length: count }, () => uploads.begin());
  return { clock, first, started, run, endAll, arrive };
};

describe('light runs', () => {
  it('start at once while few uploads are in hand', () => {
    const { run, arrive, started } = open();
    arrive(3);
    run('a');
    expect(started).toEqual(['a']);
  });

  it('wait while uploads arrive in a burst, and start when these are answered', async () => {
    const { clock, run, arrive, started, first } = open();
    const answered = arrive(4);
    run('a');
    run('b');
    await clock.advance(500);
    expect([started, first.waiting]).toEqual([[], 2]);
    for (const answer of answered) answer();
    await clock.advance(30);
    expect([started, first.waiting]).toEqual([['a', 'b'], 0]);
  });

  it('wait for two seconds at most, and then start beside the uploads until these are quiet', async () => {
    const { clock, run, arrive, started } = open();
    const answered = arrive(4);
    run('a');
    await clock.advance(1_900);
    expect(started).toEqual([]);
    await clock.advance(200);
    run('b');
    expect(started).toEqual(['a', 'b']);
    for (const answer of answered) answer();
    await clock.advance(30);
    arrive(4);
    run('c');
    expect(started).toEqual(['a', 'b']);
  });

  it('do not wait once five hundred of them do', () => {
    const { run, arrive, started } = open();
    arrive(4);
    for (let n = 0; n < 500; n++) run(String(n));
    expect(started).toEqual([]);
    run('one more');
    expect(started.length).toBeGreaterThan(0);
  });

  it('do not wait once half of what one user may run does, so that the user is not refused for them', () => {
    const { run, arrive, started } = open(20);
    arrive(4);
    for (let n = 0; n < 10; n++) run(String(n));
    expect(started).toEqual([]);
    run('one more');
    expect(started.length).toBeGreaterThan(0);
  });

  it('run sixteen at a time, owners in turn', async () => {
    const { run, started, endAll } = open();
    for (let n = 0; n < 20; n++) run(`big ${n}`, 'big');
    run('small', 'small');
    expect(started).toHaveLength(16);
    await endAll();
    expect(started.indexOf('small')).toBeLessThan(19);
    expect(started).toHaveLength(21);
  });
});
