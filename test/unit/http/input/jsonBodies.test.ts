import { describe, expect, it } from 'vitest';
import { hasMoreValues } from '../../../../src/countValues.ts';
import { parseJson } from '../../../../src/http/input/body.ts';
import { operationsOf } from './countedOperations.ts';

const MEBIBYTE = 1_048_576;
const MOST = 20_000;
const TOO_MANY = 'more than 20000 values';

const filled = (unit: string): Buffer => Buffer.from(`[${unit.repeat(Math.floor((MEBIBYTE - 2) / unit.length)).slice(0, -1)}]`);

describe('a JSON body', () => {
  it.each(['1,', '[],', '{},', '{"a":1},', '"",', '[['])('of 1 MiB of %s is refused before it is parsed', (unit) => {
    expect(() => parseJson(filled(unit), MOST)).toThrow(TOO_MANY);
  });

  it('of 20,000 values is accepted', () => {
    expect(parseJson(Buffer.from(JSON.stringify(Array(19_999).fill(0))), MOST)).toHaveLength(19_999);
  });

  it('may contain a long text full of commas, brackets and quotes', () => {
    const text = 'a,b[]{}"\\",\\\\"'.repeat(60_000);
    expect(parseJson(Buffer.from(JSON.stringify({ text })), MOST)).toEqual({ text });
  });

  it('is counted correctly after a text that ends in a backslash', () => {
    expect(() => parseJson(Buffer.from(`["\\\\",${'1,'.repeat(60_000)}1]`), MOST)).toThrow(TOO_MANY);
  });

  it('with too many values is refused in the time it takes to count them', () => {
    const body = filled('{},');
    operationsOf(() => parseJson(body, MOST));
    expect(operationsOf(() => parseJson(body, MOST))).toBeLessThan(1_000_000);
  });
});

it('counts strings, numbers, literals, objects and arrays, but not the names of members', () => {
  const counted = (text: string): number => [...Array(40).keys()].find((most) => !hasMoreValues(Buffer.from(text.padEnd(60)), most)) ?? -1;
  expect(counted('{"a\\"[,":[1,"\\\\",{},["\\\\\\"",2]]}')).toBe(8);
  expect(counted(' [ ]')).toBe(1);
  expect(counted('-1.5e3')).toBe(1);
  expect(counted('{"a": true, "b": null , "c" : "x:y"}')).toBe(4);
  expect(counted('[[1,2],[3,4]]')).toBe(7);
});
