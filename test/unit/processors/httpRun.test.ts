import { expect, test } from 'vitest';
import { signedHead } from '../../../src/processors/declared/httpRun.ts';
import { canonicalJson } from '../../../src/stores/canonicalJson.ts';

test('a run signs its head in canonical JSON, and sends its properties so', () => {
  const properties = { ü: [1, { b: null, a: 'x' }], '10': 'ten', '9': 'nine' };
  const head = { runId: 'run "1"', attempt: 2, streamId: 's', processor: 'p@1', properties };
  const { text, headers } = signedHead(head);
  expect(text).toBe(canonicalJson(head));
  expect(Buffer.from(headers['tributary-properties'] ?? '', 'base64url').toString()).toBe(canonicalJson(properties));
});
