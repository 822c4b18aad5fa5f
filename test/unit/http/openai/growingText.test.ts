import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingText } from '../../../../src/http/openai/growingText.ts';

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

test('is empty after its text is taken', () => {
  const text = new GrowingText();
  text.add('some text');
  expect([text.take(), text.length, text.take(), text.add(' again')]).toEqual(['some text', 0, '', 'again']);
});

test('keeps spoken spaces, and adds one where there was none', () => {
  const text = new GrowingText();
  expect(['Hello.', ' Good', 'day. ', '', 'You'].map((one) => text.add(one))).toEqual(['Hello.', ' Good', ' day.', '', ' You']);
});
