import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ContextSources, eventContextOf } from '../../../src/delivery/plan/eventContexts.ts';
import { type DynamicTarget, type EventContext, PING, webhookTypes } from '../../../src/delivery/plan/webhookTypes.ts';
import { BODY_VERSIONS, bodyFor } from '../../../src/delivery/send/rendering.ts';
import { isStreamEvent } from '../../../src/domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { WEBHOOK_BODIES } from '../../../src/http/webhooks/webhookEventSchemas.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { OWNER, STREAM } from '../../fakes/streamStory.ts';

const FIXTURE: { targets: DynamicTarget[]; events: (Omit<RecordedEvent, 'revision'> & { revision: string })[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/webhook-events.json', import.meta.url), 'utf8'),
);

const streams = new Map<string, StreamAggregate>();
const sources: ContextSources = {
  stream: async (event) => {
    const before = streams.get(event.eventStream) ?? null;
    const stream = isStreamEvent(event) ? evolveStream(before, event, event.metadata.time) : before;
    if (!stream) throw new Error(`${event.eventStream} has no beginning`);
    streams.set(event.eventStream, stream);
    return stream;
  },
  group: async () => ({ creatorId: OWNER, targets: FIXTURE.targets }),
  owner: async () => ({ groupId: STREAM, creatorId: OWNER }),
};

/** The webhooks of all events, in order. */
const webhooks: { event: RecordedEvent; type: string; context: EventContext }[] = [];
for (const stored of FIXTURE.events) {
  const event = { ...stored, revision: BigInt(stored.revision) };
  const context = await eventContextOf(event, sources);
  const types = event.type === 'PingRequested' ? [PING] : webhookTypes(event, context);
  webhooks.push(...types.map((type) => ({ event, type, context })));
}

// A retry or resend sends the bytes of the first attempt, so the bodies of a version may never change. Vitest writes those of a new version.
test.each(Object.entries(BODY_VERSIONS))('bodies of version %s keep every byte', async (version, render) => {
  const bodies = webhooks.map(({ event, type, context }) => `${bodyFor(render(event, type, context), 'endpoint')}\n`);
  await expect(
    bodies.join(''),
    'An existing version has other bodies: leave it as it was in src/delivery/send/rendering.ts. For a new event in webhook-events.json, run with -u; it only adds lines.',
  ).toMatchFileSnapshot(`../../fixtures/webhookBodies/${version}.txt`);
});

test('no version with bodies is removed', () => {
  const files = readdirSync(new URL('../../fixtures/webhookBodies/', import.meta.url));
  const removed = files.filter((file) => !Object.keys(BODY_VERSIONS).some((version) => file === `${version}.txt`));
  expect(removed, 'Pending deliveries name these versions').toEqual([]);
});

test('every type of webhook has bodies', () => {
  const missing = WEBHOOK_BODIES.filter(({ type }) => !webhooks.some((webhook) => webhook.type === type)).map(({ type }) => type);
  expect(missing, 'Add events that send these webhooks at the end of test/fixtures/webhook-events.json').toEqual([]);
});
