import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../src/domain/problem.ts';
import { openQuery } from '../../../../src/http/gateway/openQuery.ts';
import { RawQuery } from '../../../../src/http/query/rawQuery.ts';

const documented = new Set(['id', 'name']);
const patches = (query: string) => openQuery(new RawQuery(query), documented).patches.map(({ op, path, value }) => [op, path, value]);

describe('patches in a query', () => {
  test.each([
    ['a=1', 'replace', '1'],
    ['a=+1', 'add', '1'],
    ['a=%2B1', 'add', '1'],
    ['a=%2b1', 'add', '1'],
    ['a=-', 'remove', undefined],
    ['a=%2D', 'remove', undefined],
    ['a=-1', 'replace', '-1'],
    ['a=\\+1', 'replace', '+1'],
    ['a=%5C+1', 'replace', '+1'],
    ['a=%5c%2B1', 'replace', '+1'],
    ['a=%5C-', 'replace', '-'],
    ['a=%201', 'replace', ' 1'],
    ['a=b+c', 'replace', 'b c'],
    ['a=b%2Bc', 'replace', 'b+c'],
    ['a=+b+c', 'add', 'b c'],
    ['a', 'replace', ''],
    ['a=b=c', 'replace', 'b=c'],
  ])('%s is %s %j', (query, op, value) => {
    expect(patches(query)).toEqual([[op, 'a', value]]);
  });

  test('turn a documented name into a patch with the prefix patches.', () => {
    expect(patches('name=x&patches.name=y&&patches.webhook.stream=z')).toEqual([
      ['replace', 'name', 'y'],
      ['replace', 'webhook.stream', 'z'],
    ]);
  });

  test('repeated keys become lists, in either spelling', () => {
    expect(patches('a=1&b=x&patches.a=2&%61=%5C-')).toEqual([
      ['replace', 'a', ['1', '2', '-']],
      ['replace', 'b', 'x'],
    ]);
    expect(() => patches('a=1&a=-')).toThrow('Forbidden patch: /a');
  });

  test('credentials are not patches, unless prefixed with patches.', () => {
    expect(patches('client_id=a&client_secret=b&access_token=c')).toEqual([]);
    expect(patches('patches.access_token=c')).toEqual([['replace', 'access_token', 'c']]);
  });

  test('webhooks keep their URL with its query', () => {
    expect(openQuery(new RawQuery('webhook.stream=https%3A%2F%2Fa.b%2F%3Fc%3Dd%2Be&webhook=x&webhook=y'), documented).webhooks).toEqual([
      { url: 'https://a.b/?c=d+e', event: 'stream.*' },
      { url: 'x', event: '*' },
      { url: 'y', event: '*' },
    ]);
  });

  test.each(['a=%', 'a=%ff', '%zz=1'])('%s is 400', (query) => {
    expect(() => patches(query)).toThrow(expect.objectContaining({ statusCode: 400 }));
  });

  test('every query is either parsed or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.tuple(fc.string(), fc.string())).map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
        ),
        (query) => {
          try {
            openQuery(new RawQuery(query), documented);
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a fully encoded value is decoded unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        fc.pre(!/^[+\\-]/.test(value));
        expect(patches(`a=${encodeURIComponent(value)}`)).toEqual([['replace', 'a', value]]);
      }),
    );
  });
});
