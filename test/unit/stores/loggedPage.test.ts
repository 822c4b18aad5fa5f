import { expect, test } from 'vitest';
import { loggedPage } from '../../../src/stores/embedded/loggedPage.ts';
import type { Range } from '../../../src/stores/embedded/logReader.ts';

const ALL: Range = { from: 1, to: 1_000, limit: 100, direction: 'forwards' };

/** Rows 1 to `count` of the same size, and which steps were read. */
const rows = (count: number, bytes: number) => {
  const steps: Range[] = [];
  const read = (step: Range) => {
    steps.push(step);
    const all = Array.from({ length: count }, (_, n) => ({ rowid: n + 1, bytes }));
    const within = all.filter(({ rowid }) => rowid >= step.from && rowid <= step.to);
    return (step.direction === 'forwards' ? within : within.reverse()).slice(0, step.limit);
  };
  return { steps, read };
};

test('a page of small rows ends at its limit or at the end of the range', () => {
  const full = loggedPage(ALL, rows(500, 100).read);
  expect(full).toMatchObject({ isLast: false, rows: { length: 100 } });
  expect(full.rows.map(({ rowid }) => rowid)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  expect(loggedPage(ALL, rows(50, 100).read)).toMatchObject({ isLast: true, rows: { length: 50 } });
  expect(loggedPage({ ...ALL, to: 30 }, rows(500, 100).read)).toMatchObject({ isLast: true, rows: { length: 30 } });
  expect(loggedPage(ALL, rows(0, 100).read)).toEqual({ isLast: true, rows: [] });
});

test('a page of large rows ends after 1 MiB, and at most one step later', () => {
  const { steps, read } = rows(500, 320_000);
  const page = loggedPage(ALL, read);
  expect(page).toMatchObject({ isLast: false, rows: { length: 20 } });
  expect(steps).toHaveLength(1);
  expect(loggedPage(ALL, rows(500, 30_000).read)).toMatchObject({ isLast: false, rows: { length: 40 } });
});

test('reads backwards without gaps', () => {
  const page = loggedPage({ ...ALL, direction: 'backwards' }, rows(500, 100).read);
  expect(page.rows.map(({ rowid }) => rowid)).toEqual(Array.from({ length: 100 }, (_, n) => 500 - n));
});
