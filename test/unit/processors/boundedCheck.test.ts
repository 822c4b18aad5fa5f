import { expect, test } from 'vitest';
import { bounded } from '../../../src/processors/llm/boundedCheck.ts';

const CELL = new Int32Array(new SharedArrayBuffer(4));

test('what is done in time gives its result, and what fails its failure', () => {
  expect(bounded(() => 'done')).toBe('done');
  expect(() =>
    bounded(() => {
      throw new Error('not this');
    }),
  ).toThrow('not this');
});

test('what never ends is ended', () => {
  let turns = 0;
  expect(() =>
    bounded(() => {
      turns += 1;
      for (const until = process.cpuUsage().user + 20_000_000; process.cpuUsage().user < until; );
    }),
  ).toThrow('timed out');
  expect(turns).toBeLessThanOrEqual(4);
});

test('what only waited for a busy machine is done again, a few times', () => {
  let turns = 0;
  const wait = () => void Atomics.wait(CELL, 0, 0, 2_000);
  expect(
    bounded(() => {
      turns += 1;
      if (turns < 3) wait();
      return turns;
    }),
  ).toBe(3);
  turns = 0;
  expect(() =>
    bounded(() => {
      turns += 1;
      wait();
    }),
  ).toThrow('timed out');
  expect(turns).toBe(4);
});
