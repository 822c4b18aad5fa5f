import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { EventContexts } from '../../../src/delivery/plan/eventContexts.ts';
import { NEWEST_BODY_VERSION } from '../../../src/delivery/plan/webhookTypes.ts';
import { Bodies } from '../../../src/delivery/send/bodies.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { recorded } from '../projections/given.ts';

const TYPE = 'stream.created';

test('keeps a body for a minute after its last use, so that a quiet server does not fill its memory with bodies', async () => {
  const clock = new ManualClock();
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
  const contexts = new EventContexts(log);
  const bodies = new Bodies(log, contexts, clock);
  const renderer = NEWEST_BODY_VERSION.full;
  const events = recorded(...Array.from({ length: 13 }, (_, n) => [`stream-${n}`, streamCreated([link('echo', null)])] as const)).map(
    (event) => ({ ...event, id: randomUUID() }),
  );
  const remember = async (event: RecordedEvent | undefined) => {
    if (event) bodies.remember(event, { type: TYPE, renderer }, await contexts.of(event));
  };
  for (const event of events.slice(0, 11)) await remember(event);
  expect(bodies.remembered).toBe(11);
  await clock.advance(59_000);
  await bodies.of(
    { sourceEventId: events[0]?.id ?? '', sourceEventStream: 'stream-0', sourceRevision: '0', sourcePosition: '' },
    TYPE,
    renderer,
  );
  await remember(events[11]);
  expect(bodies.remembered).toBe(12);
  await clock.advance(1_000);
  await remember(events[12]);
  // The one that was used, and the last two.
  expect(bodies.remembered).toBe(3);
});

test('leaves a body that cannot be built to the attempt, so that the reading of the log continues', async () => {
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const contexts = new EventContexts(log);
  const bodies = new Bodies(log, contexts);
  const [event] = recorded(['stream-1', streamCreated([link('echo', null)])]);
  if (!event) throw new Error('no event');
  bodies.remember(event, { type: 'processor.running', renderer: NEWEST_BODY_VERSION.full }, await contexts.of(event));
  expect(bodies.remembered).toBe(0);
});
