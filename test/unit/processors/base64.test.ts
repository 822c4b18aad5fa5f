import { expect, test } from 'vitest';
import { isBase64 } from '../../../src/processors/declared/base64.ts';

test.each(['', 'QUJD', 'QUI=', 'QQ==', '+/+/', 'A'.repeat(8_000_000)])('takes base64 (%#)', (text) => {
  expect(isBase64(text)).toBe(true);
});

test.each(['Q', 'QU=', 'A===', '====', 'QU=D', 'QU-_', 'QUJD\n', 'QU JD', `${'A'.repeat(7_999_996)}A!==`])(
  'rejects anything else (%#)',
  (text) => {
    expect(isBase64(text)).toBe(false);
  },
);
