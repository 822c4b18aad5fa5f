import { expect, test } from 'vitest';
import type { DeliveryEvent } from '../../../../src/domain/delivery/events.ts';
import { type HealthDeps, healthOfAll } from '../../../../src/http/webhooks/shownHealth.ts';
import { type EndpointDocument, endpointsProjection } from '../../../../src/projections/endpoints.ts';
import { at, attempted, documentsAfter, endpointCreated, recorded } from '../../projections/given.ts';

const ENDPOINTS = [
  endpointCreated('a', 'https://one.test/a'),
  endpointCreated('b', 'https://one.test/b'),
  endpointCreated('c', 'https://other.test/'),
];

const deps: HealthDeps = {
  readModels: { find: async () => [] },
  clock: { now: () => Date.parse(at(60)) },
  limits: { webhookHoldFailures: 5, webhookHoldS: 30 },
};

/** The states of the three endpoints after some attempts. */
const statesAfter = async (...attempts: readonly DeliveryEvent[]) => {
  const folded = documentsAfter(endpointsProjection, recorded(...[...ENDPOINTS, ...attempts].map((event) => ['x', event] as const)));
  const documents = ['a', 'b', 'c'].flatMap((id) => (folded.get(id)?.body as EndpointDocument | undefined) ?? []);
  const health = await healthOfAll(deps, documents, documents);
  return ['a', 'b', 'c'].map((id) => health.get(id)?.state);
};

const delivered = (endpointId: string, n: number) => attempted(n, 'delivered', { endpointId });
const failing = (endpointId: string, ...minutes: readonly number[]) => minutes.map((n) => attempted(n, 'failed', { endpointId }));

test('an origin is held after five failures in a row, whichever endpoints they were for', async () => {
  expect(await statesAfter(...failing('a', 1, 2, 3), ...failing('b', 4, 5))).toEqual(['held', 'held', 'unknown']);
  expect(await statesAfter(...failing('a', 1, 2, 3), ...failing('b', 4))).toEqual(['failing', 'failing', 'unknown']);
  expect(await statesAfter(delivered('b', 1), ...failing('a', 2, 3, 4, 5, 6))).toEqual(['held', 'held', 'unknown']);
});

test('a success at another endpoint of the origin ends its series', async () => {
  const interrupted = [...failing('a', 1, 2, 3, 4), delivered('b', 5), ...failing('a', 6, 7, 8, 9)];
  expect(await statesAfter(...interrupted)).toEqual(['failing', 'healthy', 'unknown']);
  expect(await statesAfter(...interrupted, ...failing('a', 10))).toEqual(['held', 'held', 'unknown']);
  expect(await statesAfter(...interrupted, ...failing('a', 10), delivered('a', 11))).toEqual(['healthy', 'healthy', 'unknown']);
});
