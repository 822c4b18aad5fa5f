import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { decodePercent } from '../../src/percent.ts';

const byLanguage = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const encoded = (...bytes: readonly number[]): string => bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const byte = fc.integer({ min: 0, max: 255 });
/** Around the bounds of what UTF-8 allows. */
const lead = fc.constantFrom(0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5);
const next = fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0);

describe('percent-encoded text is decoded as decodeURIComponent does it', () => {
  test('for every one and two bytes', () => {
    for (let first = 0; first < 256; first += 1) {
      expect(decodePercent(encoded(first))).toBe(byLanguage(encoded(first)));
      for (let second = 0; second < 256; second += 1)
        if (decodePercent(encoded(first, second)) !== byLanguage(encoded(first, second))) expect.fail(encoded(first, second));
    }
  });

  test('for longer sequences, valid and invalid ones', () => {
    const sequence = fc.oneof(
      fc.tuple(lead, next, next, next),
      fc.tuple(lead, next, next),
      fc.array(byte, { maxLength: 5 }),
      fc.string({ unit: 'binary' }).map((text) => [...Buffer.from(text)]),
    );
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 3 }), (sequences) => {
        const text = encoded(...sequences.flat());
        expect(decodePercent(text)).toBe(byLanguage(text));
        expect(decodePercent(text.toUpperCase())).toBe(byLanguage(text.toUpperCase()));
      }),
      { numRuns: 2_000 },
    );
  });

  test('for any text between the sequences', () => {
    const piece = fc.constantFrom('%', '%4', '%41', '%g1', '%c3%a9', '%c3', 'é', '\ud800', '&', '+', '', '%25');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(decodePercent(pieces.join(''))).toBe(byLanguage(pieces.join('')));
      }),
      { numRuns: 1_000 },
    );
  });
});

test('no exception is made for invalid text, because many would take seconds', () => {
  const decodeUri = vi.spyOn(globalThis, 'decodeURIComponent');
  expect(['%', '%ff', '%c3', '%ed%a0%80', '%41%'].map(decodePercent)).toEqual([null, null, null, null, null]);
  expect(decodeUri).not.toHaveBeenCalled();
});
