import { expect, test } from 'vitest';
import { outcomeInWords } from '../../../web/src/pages/webhooks/outcome.ts';

test.each([
  [{ status: 500, outcome: 'exhausted', reason: null }, 'gave up, status 500'],
  [{ status: 500, outcome: 'failed', reason: 'status 500' }, 'failed, status 500'],
  [{ status: 302, outcome: 'failed', reason: 'redirect' }, 'failed, status 302: redirect'],
  [{ status: null, outcome: 'exhausted', reason: 'connection refused' }, 'gave up: connection refused'],
  [{ status: 200, outcome: 'delivered', reason: null }, 'delivered, status 200'],
] as const)('the attempt %j reads: %s', (attempt, shown) => {
  expect(outcomeInWords(attempt)).toBe(shown);
});
