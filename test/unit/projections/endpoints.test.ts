import { describe, expect, it } from 'vitest';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import { type EndpointDocument, endpointsProjection } from '../../../src/projections/endpoints.ts';
import { at, attempted, documentsAfter, recorded } from './given.ts';

const SETTINGS = {
  ...{ endpointId: 'e', url: 'https://a.test/', events: ['*'], enabled: true, description: 'd', payload: 'full' as const },
  ...{ headers: { 'X-Token': 'abc' }, filter: { type: 'stream.completed' }, retryWindow: 7_200 },
};
const CREATED: WebhookEndpointsEvent = { type: 'EndpointCreated', data: SETTINGS };

const FAILED = attempted(1, 'failed');

const folded = (...story: readonly (WebhookEndpointsEvent | DeliveryEvent)[]): EndpointDocument | undefined => {
  const events = story.map((event) => ['x', event] as const);
  return documentsAfter(endpointsProjection, recorded(...events)).get('e')?.body as EndpointDocument | undefined;
};

describe('an endpoint of the read model', () => {
  it('is unknown before the first attempt', () => {
    expect(folded(CREATED)).toMatchObject({ subject: 'someone', condition: 'unknown', createdTimestamp: at(0) });
  });

  it('fails from its first failure to its next success, and counts the failures in a row', () => {
    const failing = folded(CREATED, attempted(1, 'delivered'), attempted(2, 'failed'), attempted(3, 'exhausted'));
    const totals = {
      lastSuccess: at(1),
      lastFailure: at(3),
      failingSince: at(2),
      healthySince: null,
      failures: 2,
      reason: 'status 500',
      recentFailures: [at(2), at(3)],
    };
    expect(failing).toMatchObject({ condition: 'failing', totals });
    const healthy = folded(CREATED, FAILED, attempted(2, 'delivered'), attempted(3, 'delivered'));
    expect(healthy).toMatchObject({
      condition: 'healthy',
      totals: { lastSuccess: at(3), healthySince: at(2), failures: 0, recentFailures: [], reason: null },
    });
  });

  it('says nothing after an attempt of which nothing was sent', () => {
    expect(folded(CREATED, attempted(1, 'exhausted', { status: null, reason: 'store unavailable' }))?.condition).toBe('unknown');
  });

  it('forgets its attempts when it gets another URL, and when it is enabled again', () => {
    expect(folded(CREATED, FAILED, { type: 'EndpointUpdated', data: { ...SETTINGS, url: 'https://b.test/' } })?.condition).toBe('unknown');
    expect(folded(CREATED, FAILED, { type: 'EndpointUpdated', data: { ...SETTINGS, description: 'other' } })?.condition).toBe('failing');
    const disabled = [CREATED, FAILED, { type: 'EndpointDisabled', data: { endpointId: 'e', reason: 'gone' } }] as const;
    expect(folded(...disabled)).toMatchObject({ condition: 'disabled', disabledReason: 'gone' });
    expect(folded(...disabled, { type: 'EndpointToggled', data: { endpointId: 'e', enabled: true } })?.condition).toBe('unknown');
  });

  it('keeps failing when its attempts have left the log and were carried', () => {
    const data = { lastSourcePosition: '', lastRequestPosition: '', sequences: {}, failing: { e: at(-5) } };
    expect(folded(CREATED, { type: 'DeliveryCarried', data })).toMatchObject({ condition: 'failing', totals: { failingSince: at(-5) } });
  });

  it('is remembered as one that may get seals, also when it no longer names them', () => {
    const named = { ...SETTINGS, events: ['audit.sealed'] };
    const changed = folded({ type: 'EndpointCreated', data: named }, { type: 'EndpointUpdated', data: SETTINGS });
    expect([folded(CREATED)?.namedSeals, changed?.namedSeals]).toEqual([false, true]);
  });

  it('does not exist once it is deleted', () => {
    expect(folded(CREATED, FAILED, { type: 'EndpointDeleted', data: { endpointId: 'e' } })).toBeUndefined();
  });

  it('is the same when its owner is erased before or after it is folded', () => {
    const rebuilt = folded(
      { type: 'EndpointCreated', data: { ...SETTINGS, url: null, description: null, headers: { 'X-Token': null }, filter: null } },
      FAILED,
    );
    const kept = folded(CREATED, FAILED);
    expect(rebuilt).toMatchObject({ url: '', condition: 'erased' });
    expect(kept && endpointsProjection.personal?.redact(kept)).toEqual(rebuilt);
  });
});
