import { expect, test } from 'vitest';
import { EventContexts } from '../../../src/delivery/plan/eventContexts.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { recorded } from '../projections/given.ts';

const MEBIBYTE = 1_048_576;
const STREAMS = 40;

const created = (headers: Record<string, string>): StreamEvent => {
  const event = streamCreated([link('echo', null)]);
  const { configuration } = event.data;
  const dataSource = { ...configuration.dataSource, headers };
  return { ...event, data: { ...event.data, configuration: { ...configuration, dataSource, dynamicWebhookEndpoints: [] } } };
};

/** Which of the streams are cached after the events of all were looked at, in order. */
const cachedOf = async (headers: () => Record<string, string>): Promise<boolean[]> => {
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const contexts = new EventContexts(log);
  const names = Array.from({ length: STREAMS }, (_, n) => `stream-${n}`);
  for (const name of names) for (const event of recorded([name, created(headers())])) await contexts.of(event);
  return names.map((name) => contexts.hasNoDynamicWebhook(name));
};

test('caches streams with up to 8 MiB of configurations, newest first', async () => {
  const cached = await cachedOf(() => ({ large: 'x'.repeat(MEBIBYTE) }));
  expect(cached.at(-1)).toBe(true);
  expect(cached[0]).toBe(false);
  expect(cached.filter(Boolean).length).toBeLessThanOrEqual(8);
});

test('caches all streams whose configurations are small', async () => {
  expect(await cachedOf(() => ({}))).toEqual(Array(STREAMS).fill(true));
});
