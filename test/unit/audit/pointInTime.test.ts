import { expect, test } from 'vitest';
import { momentOf } from '../../../src/audit/pointInTime.ts';
import { timeOf } from '../../../src/domain/parseTime.ts';

test.each([
  ['2026-11-21T10:00:00.1239Z', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T10:00:00+02:00', '2026-11-21T08:00:00.000Z'],
  ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000Z'],
])('reads %s as the time %s', (text, time) => {
  expect(timeOf(text, 'from')).toBe(time);
});

test('reads a space in a time as the + that a query turned into it', () => {
  expect(timeOf('2026-11-21T10:00:00.000 00:00', 'from')).toBe('2026-11-21T10:00:00.000Z');
  expect(momentOf('2026-11-21T10:00:00 02:00', 'asOf')).toEqual({ time: '2026-11-21T08:00:00.000Z' });
});

test.each(['soon', '2026-02-30T00:00:00Z', '2026-11-21 10:00', '2026-13-01', ''])('rejects %j as a time', (text) => {
  expect(() => timeOf(text, 'from')).toThrow('from is not an ISO 8601 time. Give one such as 2026-03-01T00:00:00Z.');
});
