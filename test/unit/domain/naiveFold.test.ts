import { expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { naiveFold } from '../../crash/naiveFold.ts';

/** Every member that the fold of any event reads. */
const DATA = {
  ...{ streamId: 's', requestId: 's', endpointId: 's', credentialId: 's', templateId: 's', processorId: 's' },
  ...{ chain: [], processors: [], streamIds: [], template: { id: 's', version: 1 }, handled: 0, attempt: 1, enabled: true },
};
const BEGINNINGS = ['StreamCreated', 'GroupCreated', 'BulkRerunRequested'];

test('the naive fold of the crash test knows every event type', () => {
  const events = [...BEGINNINGS, ...Object.keys(EVENT_SCHEMAS)].map((type) => ({ type, data: DATA, eventStream: 'any-s' }));
  expect([...naiveFold(events).unknown]).toEqual([]);
});

test('the naive fold of the crash test reports an unknown event type', () => {
  expect([...naiveFold([{ type: 'StreamSung', data: DATA, eventStream: 'any-s' }]).unknown]).toEqual(['StreamSung']);
});
