import { expect, test } from 'vitest';
import { wantsLines } from '../../../src/http/answers/wantsLines.ts';

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['application/x-ndjson', true],
  ['Application/X-NDJSON; charset=utf-8', true],
  ['application/x-ndjson, */*', true],
  ['application/json, application/x-ndjson', true],
  ['application/json;q=0.5, application/x-ndjson', true],
  ['application/json, application/x-ndjson;q=0.5', false],
  ['application/json;q=0, application/x-ndjson;q=0.1, */*', true],
  ['*/*, application/x-ndjson;q=0.1', false],
  ['application/x-ndjson;q=0', false],
  ['application/x-ndjson-seq', false],
])('decides whether Accept: %s asks for lines: %s', (accept, lines) => {
  expect(wantsLines(accept)).toBe(lines);
});
