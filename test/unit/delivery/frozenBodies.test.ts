import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type DynamicTarget, type EventContext, isHealthChange, PING, webhookTypes } from '../../../src/delivery/plan/webhookTypes.ts';
import { BODY_VERSIONS, bodyFor } from '../../../src/delivery/send/rendering.ts';
import { isSealsEvent } from '../../../src/domain/audit/events.ts';
import { isGroupEvent } from '../../../src/domain/group/events.ts';
import { isStreamEvent } from '../../../src/domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { OWNER, STREAM } from '../../fakes/streamStory.ts';

interface Frozen {
  readonly type: string;
  readonly version: number;
  readonly body: string;
}

// A retry or resend sends the bytes of the first attempt, so no body in the fixture may ever change. If this test fails, your change has altered a
// version of bodies in `src/delivery/send/rendering.ts`: leave it as it was. Only if webhooks should show more, add a version, with bodies of its own
// in the fixture.
const FIXTURE: {
  targets: DynamicTarget[];
  events: { event: Omit<RecordedEvent, 'revision'> & { revision: string }; bodies: Frozen[] }[];
} = JSON.parse(readFileSync(new URL('../../fixtures/webhook-bodies.json', import.meta.url), 'utf8'));

/** Each event with its context, which for streams is folded from the events before it. */
const withContexts = (): { event: RecordedEvent; context: EventContext; bodies: Frozen[] }[] => {
  const streams = new Map<string, StreamAggregate>();
  const contextOf = (event: RecordedEvent): EventContext => {
    if (isSealsEvent(event)) return { kind: 'seal' };
    if (isHealthChange(event)) return { kind: 'endpoint' };
    if (isGroupEvent(event)) return { kind: 'group', groupId: STREAM, creatorId: OWNER, targets: FIXTURE.targets };
    if (!isStreamEvent(event)) return { kind: 'request' };
    const stream = evolveStream(streams.get(event.eventStream) ?? null, event, event.metadata.time);
    streams.set(event.eventStream, stream);
    return { kind: 'stream', stream };
  };
  return FIXTURE.events.map(({ event: stored, bodies }) => {
    const event = { ...stored, revision: BigInt(stored.revision) };
    return { event, context: contextOf(event), bodies };
  });
};

test.each(Object.keys(BODY_VERSIONS).map(Number))('bodies of version %i keep every byte', (version) => {
  for (const { event, context, bodies } of withContexts()) {
    const types = event.type === 'PingRequested' ? [PING] : webhookTypes(event, context);
    const rendered = types.map((type): Frozen => {
      const body = BODY_VERSIONS[version]?.(event, type, context);
      return { type, version, body: body ? bodyFor(body, 'endpoint') : '' };
    });
    expect(rendered, event.type).toEqual(bodies.filter((frozen) => frozen.version === version));
  }
});

test('every version has frozen bodies of streams, groups, alerts, seals and pings', () => {
  const frozen = FIXTURE.events.flatMap(({ bodies }) => bodies.map(({ type, version }) => `${version} ${type.split('.')[0]}`));
  const kinds = ['stream', 'gateway', 'processor', 'group', 'endpoint', 'audit', 'ping'];
  expect(new Set(frozen)).toEqual(new Set(Object.keys(BODY_VERSIONS).flatMap((version) => kinds.map((kind) => `${version} ${kind}`))));
});
