import { describe, expect, it } from 'vitest';
import { hasMoreValues, ValueCounter } from '../../../../src/countValues.ts';
import { parseJson } from '../../../../src/http/input/body.ts';
import { operationsOf } from './countedOperations.ts';

const MEBIBYTE = 1_048_576;
const TOO_MANY = 'more than 50000 members and items';

const filled = (unit: string): Buffer => Buffer.from(`[${unit.repeat(Math.floor((MEBIBYTE - 2) / unit.length)).slice(0, -1)}]`);

describe('a JSON body', () => {
  it.each(['1,', '[],', '{},', '{"a":1},', '"",', '[['])('of 1 MiB of %s is refused before it is parsed', (unit) => {
    expect(() => parseJson(filled(unit))).toThrow(TOO_MANY);
  });

  it('of 50,000 items is accepted', () => {
    expect(parseJson(Buffer.from(JSON.stringify(Array(49_999).fill(0))))).toHaveLength(49_999);
  });

  it('may contain a long text full of commas, brackets and quotes', () => {
    const text = 'a,b[]{}"\\",\\\\"'.repeat(60_000);
    expect(parseJson(Buffer.from(JSON.stringify({ text })))).toEqual({ text });
  });

  it('is counted correctly after a text that ends in a backslash', () => {
    expect(() => parseJson(Buffer.from(`["\\\\",${'1,'.repeat(60_000)}1]`))).toThrow(TOO_MANY);
  });

  it('with too many values is refused in the time it takes to count them', () => {
    const body = filled('{},');
    operationsOf(() => parseJson(body));
    expect(operationsOf(() => parseJson(body))).toBeLessThan(1_000_000);
  });
});

it('counts the same values in pieces as in one, wherever they are cut', () => {
  const bytes = Buffer.from('{"a\\"[,":[1,"\\\\",{},["\\\\\\"",2]]}');
  const most = [...Array(20).keys()].find((limit) => !hasMoreValues(bytes, limit)) ?? -1;
  expect(most).toBe(8);
  for (let at = 0; at <= bytes.length; at += 1)
    for (const limit of [most, most - 1]) {
      const counter = new ValueCounter(limit);
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(pieces.map((piece) => counter.read(piece)).includes(true)).toBe(limit < most);
    }
});
