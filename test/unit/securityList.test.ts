import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMIT_SETTINGS } from '../../src/limits.ts';

const LIST = 'docs/security.md';

/** `test/file.test.ts`: beginning of a test's name; beginning of another one. */
const claims = [...readFileSync(LIST, 'utf8').matchAll(/`(test\/[\w/.]+\.ts)`: (.+?)(?: \||<br>)/g)].flatMap(([, file = '', names = '']) =>
  names.split('; ').map((name) => ({ file, name })),
);

test('lists security items with their tests', () => {
  expect(claims.length).toBeGreaterThan(60);
});

test.each(claims)('$file has the test "$name" that docs/security.md names', ({ file, name }) => {
  expect(existsSync(file), `${file} is there`).toBe(true);
  const beginnings = [`'${name}`, `"${name}`, `\`${name}`];
  expect(beginnings.some((beginning) => readFileSync(file, 'utf8').includes(beginning))).toBe(true);
});

test('the table of limits has every setting that is a limit', () => {
  const text = readFileSync(LIST, 'utf8');
  expect(Object.values(LIMIT_SETTINGS).flatMap(({ name }) => (text.includes(`\`${name}\``) ? [] : [name]))).toEqual([]);
});
