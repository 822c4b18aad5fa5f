import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingText } from '../../../../src/http/openai/growingText.ts';
import { collectGarbage } from '../../collectGarbage.ts';

const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', ' ', '\n') }), { maxLength: 12 });

test('joins pieces into a text without a space at either end', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const text = new GrowingText();
      const joined = texts.map((one) => text.add(one)).join('');
      expect(joined).toBe(text.take());
      expect(joined).toBe(joined.trim());
    }),
  );
});

test('loses no text and never joins two texts without a space', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const text = new GrowingText();
      for (const one of texts) text.add(one);
      const words = texts.flatMap((one) => one.split(/\s+/)).filter((word) => word !== '');
      expect(
        text
          .take()
          .split(/\s+/)
          .filter((word) => word !== ''),
      ).toEqual(words);
    }),
  );
});

test('is empty after its text is taken', async () => {
  await collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const texts = Array.from({ length: 10 }, () => new GrowingText());
  const taken = texts.map((text, n) => {
    for (let piece = 0; piece < 4; piece += 1) text.add(`${n} ${piece} ${'x'.repeat(1_000_000)}`);
    return text.take();
  });
  await collectGarbage();
  // The taken texts have 40 MB, and the pieces had the same.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
  expect(taken.map(({ length }) => length)).toEqual(Array(10).fill(4_000_019));
  expect([texts[0]?.length, texts[0]?.take(), texts[0]?.add(' again')]).toEqual([0, '', 'again']);
});

test('keeps spoken spaces, and adds one where there was none', () => {
  const text = new GrowingText();
  expect(['Hello.', ' Good', 'day. ', '', 'You'].map((one) => text.add(one))).toEqual(['Hello.', ' Good', ' day.', '', ' You']);
});
