import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../web/src/', import.meta.url).pathname;
const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));

test('reads the whole dashboard', () => {
  expect(SOURCES.length).toBeGreaterThan(100);
});

// Wordings that readers did not understand.
test.each([
  /Hears of/,
  /Exhausted/,
  /\bVad\b/,
  /sink, kept/,
  /I have kept it/,
  /The chain goes on without this page/,
  /gives Llm/,
  /Subject id; you/,
])('the dashboard does not say %s', (unclear) => {
  expect(SOURCES.filter(({ text }) => unclear.test(text)).map(({ path }) => path)).toEqual([]);
});
