import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingText } from '../../../../src/http/openai/growingText.ts';

const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', ' ', '\n') }), { maxLength: 12 });

test('pieces joined are the text, which neither begins nor ends with a space', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const text = new GrowingText();
      const joined = texts.map((one) => text.add(one)).join('');
      expect(joined).toBe(text.text);
      expect(joined).toBe(joined.trim());
    }),
  );
});

test('no text is lost, and two texts never run into each other', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const text = new GrowingText();
      for (const one of texts) text.add(one);
      const words = texts.flatMap((one) => one.split(/\s+/)).filter((word) => word !== '');
      expect(text.text.split(/\s+/).filter((word) => word !== '')).toEqual(words);
    }),
  );
});

test('keeps the spaces that were said, and adds one where there was none', () => {
  const text = new GrowingText();
  expect(['Hello.', ' Good', 'day. ', '', 'You'].map((one) => text.add(one))).toEqual(['Hello.', ' Good', ' day.', '', ' You']);
});
