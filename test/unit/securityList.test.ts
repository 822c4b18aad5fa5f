import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LIST = 'docs/security.md';

/** `test/file.test.ts`: beginning of a test's name. */
const claims = [...readFileSync(LIST, 'utf8').matchAll(/`(test\/[\w/.]+\.ts)`: (.+?) \|/g)].map(([, file = '', name = '']) => ({
  file,
  name,
}));

test('lists security items with their tests', () => {
  expect(claims.length).toBeGreaterThan(60);
});

test.each(claims)('$file has the test "$name" that docs/security.md names', ({ file, name }) => {
  expect(existsSync(file), `${file} is there`).toBe(true);
  const beginnings = [`'${name}`, `"${name}`, `\`${name}`];
  expect(beginnings.some((beginning) => readFileSync(file, 'utf8').includes(beginning))).toBe(true);
});
