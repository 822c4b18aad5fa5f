import { expect, test } from 'vitest';
import { Foreground } from '../../../src/projections/engine/foreground.ts';
import { ManualClock } from '../../manualClock.ts';

/** Which of the steps that were asked for have begun, and how each is ended. */
const steps = (foreground: Foreground) => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string): void => {
    void foreground.turn().then((done) => {
      begun.push(done ? name : `${name}, large`);
      if (done) ends.set(name, done);
    });
  };
  return { begun, ask, end: (name: string) => ends.get(name)?.() };
};

const rig = () => {
  const clock = new ManualClock();
  const foreground = new Foreground(clock);
  return { clock, foreground, ...steps(foreground) };
};

test('runs steps of any size without a pause if no requests arrive', async () => {
  const { clock, foreground, begun, ask } = rig();
  ask('first');
  await clock.advance(0);
  foreground.begin()();
  await clock.advance(300);
  ask('second');
  await clock.advance(0);
  expect(begun).toEqual(['first, large', 'second, large']);
});

test('runs small steps one at a time while requests arrive', async () => {
  const { clock, foreground, begun, ask, end } = rig();
  foreground.begin()();
  ask('a');
  ask('b');
  await clock.advance(1);
  expect(begun).toEqual(['a']);
  end('a');
  await clock.advance(1);
  expect(begun).toEqual(['a', 'b']);
});

test('delays a step until open requests are answered', async () => {
  const { clock, foreground, begun, ask } = rig();
  const [first, second] = [foreground.begin(), foreground.begin()];
  ask('a');
  await clock.advance(5);
  first();
  await clock.advance(5);
  expect(begun).toEqual([]);
  second();
  await clock.advance(0);
  expect(begun).toEqual(['a']);
});

test('delays a step by at most 20 ms under a steady flow of requests, however long one takes', async () => {
  const { clock, foreground, begun, ask, end } = rig();
  foreground.begin();
  ask('a');
  await clock.advance(0);
  await clock.advance(19);
  expect(begun).toEqual([]);
  await clock.advance(1);
  expect(begun).toEqual(['a']);
  end('a');
  await clock.advance(100);
  ask('b');
  await clock.advance(0);
  expect(begun).toEqual(['a', 'b']);
});
