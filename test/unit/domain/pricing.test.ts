import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import type { OperationType, Quantities } from '../../../src/domain/stream/streamConfiguration.ts';
import { parsePriceList, SHIPPED_PRICE_LIST } from '../../../src/domain/usage/priceList.ts';
import { billFor, inCurrency, type PriceList, zeroBill } from '../../../src/domain/usage/pricing.ts';

const used = (some: Partial<Quantities>): Quantities => ({
  executionTime: null,
  storageSize: null,
  ingressSize: null,
  egressSize: null,
  processedAudioLength: null,
  processedTokens: null,
  processedInputTokens: null,
  processedOutputTokens: null,
  ...some,
});

const listOf = (rate: string, mode: 'down' | 'half-up' | 'half-even' | 'up', decimals = 2): PriceList => ({
  version: 'test-1',
  prices: [
    {
      operationType: 'BATCH_TRANSCRIPTION',
      quantity: 'processedAudioLength',
      unit: 'minute',
      rate,
      rounding: { decimals, mode },
    },
  ],
  currencies: { rates: { USD: '0.1', EUR: '0.3' }, rounding: { decimals: 4, mode: 'half-up' } },
});

const creditsFor = (list: PriceList, processedAudioLength: number): string =>
  billFor(list, 'BATCH_TRANSCRIPTION', used({ processedAudioLength })).credits;

describe('a bill', () => {
  test('charges each priced quantity by its unit and names the price list', () => {
    expect(billFor(listOf('0.5', 'half-up'), 'BATCH_TRANSCRIPTION', used({ processedAudioLength: 90_000, ingressSize: 5 }))).toEqual({
      priceList: 'test-1',
      credits: '0.75',
      lines: [{ quantity: 'processedAudioLength', amount: 90_000, unit: 'minute', rate: '0.5', credits: '0.75' }],
    });
  });

  test('is zero for unpriced operations, and for quantities that are null or zero', () => {
    expect(billFor(listOf('0.5', 'up'), 'NO_OPERATION', used({ processedAudioLength: 90_000 })).lines).toEqual([]);
    expect(creditsFor(listOf('0.5', 'up'), 0)).toBe('0');
    expect(billFor(listOf('0.5', 'up'), 'BATCH_TRANSCRIPTION', used({})).credits).toBe('0');
  });

  test('is rounded once, in the mode of the price', () => {
    // 75 s at 0.1 a minute are 0.125 exactly.
    expect(creditsFor(listOf('0.1', 'down'), 75_000)).toBe('0.12');
    expect(creditsFor(listOf('0.1', 'half-up'), 75_000)).toBe('0.13');
    expect(creditsFor(listOf('0.1', 'half-even'), 75_000)).toBe('0.12');
    expect(creditsFor(listOf('0.1', 'up'), 75_000)).toBe('0.13');
  });

  test('is never zero when rounded up, however small the use', () => {
    expect(creditsFor(listOf('0.00000000000000000001', 'up'), 1)).toBe('0.01');
  });

  test('is exact where binary floating point is not', () => {
    // 0.1 * 3 is 0.30000000000000004 in binary; 1.005 rounds to 1.00 there.
    expect(creditsFor(listOf('0.1', 'down', 20), 180_000)).toBe('0.3');
    expect(creditsFor(listOf('1.005', 'half-up'), 60_000)).toBe('1.01');
  });

  test('equals whole-number arithmetic for any use and rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: 0, max: 10 ** 9 }), (milliseconds, rate) => {
        // The rate has 6 decimals; rounding up at 6 decimals is a ceiling division of integers.
        const expected = (BigInt(milliseconds) * BigInt(rate) + 59_999n) / 60_000n;
        const text = `${Math.floor(rate / 1e6)}.${String(rate % 1e6).padStart(6, '0')}`;
        const credits = creditsFor(listOf(text, 'up', 6), milliseconds);
        const [whole = '', decimals = ''] = credits.split('.');
        expect(BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'))).toBe(expected);
      }),
    );
  });

  test('is zero without quantities', () => {
    expect(zeroBill(listOf('1', 'up'))).toEqual({ priceList: 'test-1', credits: '0', lines: [] });
  });

  test('never shows an exponent', () => {
    expect(creditsFor(listOf('999999999999999', 'up'), 10 ** 15)).not.toContain('e');
    expect(creditsFor(listOf('0.00000001', 'up', 20), 1)).not.toContain('e');
  });
});

describe('a currency', () => {
  const table = listOf('1', 'up').currencies;

  test('converts credits exactly and rounds once', () => {
    expect(inCurrency('0.3', 'EUR', table)).toBe('0.09');
    expect(inCurrency('0.00049', 'USD', table)).toBe('0');
    expect(inCurrency('0.0005', 'USD', table)).toBe('0.0001');
  });

  test.each(['usd', 'XXX', '', '__proto__', 'constructor', 'toString'])('%j that is not in the table is CURRENCY_ERROR', (code) => {
    const attempt = () => inCurrency('1', code, table);
    expect(attempt).toThrow(Problem);
    expect(attempt).toThrow(expect.objectContaining({ internalErrorName: 'CURRENCY_ERROR', statusCode: 400 }));
  });
});

describe('the shipped price list', () => {
  test('charges for transcription, and for the llm with and without counted tokens', () => {
    const credits = (operationType: OperationType, quantities: Quantities) =>
      Number(billFor(SHIPPED_PRICE_LIST, operationType, quantities).credits);
    expect(credits('BATCH_TRANSCRIPTION', used({ processedAudioLength: 1 }))).toBeGreaterThan(0);
    expect(credits('REAL_TIME_TRANSCRIPTION', used({ processedAudioLength: 1 }))).toBeGreaterThan(0);
    expect(credits('LLM_PROCESSING', used({ ingressSize: 1 }))).toBeGreaterThan(0);
    expect(credits('LLM_PROCESSING', used({ processedInputTokens: 1 }))).toBeGreaterThan(0);
  });

  test('knows USD and EUR, and a small bill is not rounded away in them', () => {
    expect(Number(inCurrency('0.000001', 'USD', SHIPPED_PRICE_LIST.currencies))).toBeGreaterThan(0);
    expect(Number(inCurrency('0.000001', 'EUR', SHIPPED_PRICE_LIST.currencies))).toBeGreaterThan(0);
  });

  test('can be written to a file and read back unchanged', () => {
    expect(parsePriceList(JSON.stringify(SHIPPED_PRICE_LIST))).toEqual(SHIPPED_PRICE_LIST);
  });
});

describe('a price list file', () => {
  test('may be the example of docs/guides/cost.md', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(readFileSync('docs/guides/cost.md', 'utf8')) ?? [];
    expect(parsePriceList(example).currencies.rates).toHaveProperty('USD');
  });

  const good = JSON.parse(JSON.stringify(listOf('0.5', 'up')));
  const changed = (change: (list: typeof good) => void): string => {
    const list = structuredClone(good);
    change(list);
    return JSON.stringify(list);
  };

  test.each<[string, string]>([
    ['the price list', '{'],
    ['the price list', '[]'],
    ['version', changed((list) => delete list.version)],
    ['prices', changed((list) => Object.assign(list, { prices: {} }))],
    ['prices[0].operationType', changed((list) => Object.assign(list.prices[0], { operationType: 'toString' }))],
    ['prices[0].quantity', changed((list) => Object.assign(list.prices[0], { quantity: 'words' }))],
    ['prices[0].unit', changed((list) => Object.assign(list.prices[0], { unit: 'MiB' }))],
    ['prices[0].rate', changed((list) => Object.assign(list.prices[0], { rate: 0.5 }))],
    ['prices[0].rate', changed((list) => Object.assign(list.prices[0], { rate: '-1' }))],
    ['prices[0].rounding.decimals', changed((list) => Object.assign(list.prices[0].rounding, { decimals: 21 }))],
    ['prices[0].rounding.mode', changed((list) => Object.assign(list.prices[0].rounding, { mode: 'near' }))],
    ['currencies.rates.usd', changed((list) => Object.assign(list.currencies.rates, { usd: '1' }))],
  ])('with a wrong %s is refused with that name', (at, text) => {
    expect(() => parsePriceList(text)).toThrow(at);
  });
});
