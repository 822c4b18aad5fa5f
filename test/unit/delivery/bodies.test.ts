import { expect, test } from 'vitest';
import { EventContexts } from '../../../src/delivery/plan/eventContexts.ts';
import { NEWEST_BODY_VERSION } from '../../../src/delivery/plan/webhookTypes.ts';
import { Bodies } from '../../../src/delivery/send/bodies.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { recorded } from '../projections/given.ts';

test('leaves a body that cannot be built to the attempt, so that the reading of the log continues', async () => {
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const contexts = new EventContexts(log);
  const bodies = new Bodies(log, contexts);
  const [event] = recorded(['stream-1', streamCreated([link('echo', null)])]);
  if (!event) throw new Error('no event');
  const context = await contexts.of(event);
  expect(() => bodies.remember(event, { type: 'processor.running', renderer: NEWEST_BODY_VERSION.full }, context)).not.toThrow();
});
