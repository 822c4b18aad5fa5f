import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { EndpointSets } from '../../../src/delivery/plan/endpointSets.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { type WebhookEndpointsEvent, webhookEndpointsEventStream } from '../../../src/domain/webhookEndpoints/events.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';

test('gives way to other work while it reads very many disabled dynamic webhooks', async () => {
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const disabled = (): WebhookEndpointsEvent => ({ type: 'EndpointDisabled', data: { endpointId: randomUUID(), reason: 'gone' } });
  const context = { subject: OWNER, actor: 'delivery', correlationId: 'c', causationId: 'c' };
  const events = Array.from({ length: 2_000 }, disabled);
  await log.append(webhookEndpointsEventStream(OWNER), { revision: 'no stream', hash: null }, events, context);
  let turns = 0;
  const look = () => {
    turns += 1;
    timer = setImmediate(look);
  };
  let timer = setImmediate(look);
  const sets = await EndpointSets.load(log, OWNER, null);
  clearImmediate(timer);
  expect(sets.newest.disabledDynamic.size).toBe(1_000);
  expect(turns).toBeGreaterThan(1);
});
