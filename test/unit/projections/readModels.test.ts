import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CredentialsEvent } from '../../../src/domain/credentials/events.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { streamComponents } from '../../../src/domain/stream/streamComponents.ts';
import { allProjections } from '../../../src/projections/all.ts';
import { credentialsProjection } from '../../../src/projections/credentials.ts';
import { groupsProjection } from '../../../src/projections/groups.ts';
import { type StreamDocument, streamsProjection } from '../../../src/projections/streams.ts';
import { usageProjection } from '../../../src/projections/usage.ts';
import { usageRecordsProjection } from '../../../src/projections/usageRecords.ts';
import { canonicalJson } from '../../../src/stores/canonicalJson.ts';
import type { DomainEvent, RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { BILL, completed, failed, link, OWNER, QUANTITIES, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { at, documentsAfter, recorded, writesOfReplay } from './given.ts';

const CHAIN = [link('transcriber', null), link('llm', 'transcriber')];
const GROUP = 'group-g';
const stream = (...events: StreamEvent[]) => events.map((event) => [`stream-${STREAM}`, event] as const);
const group = (...events: GroupEvent[]) => events.map((event) => [GROUP, event] as const);
const credentials = (...events: CredentialsEvent[]) => events.map((event) => [`credentials-${OWNER}`, event] as const);

const STORY = recorded(
  ...stream(
    streamCreated(CHAIN),
    uploaded,
    started('transcriber'),
    completed('transcriber'),
    started('llm'),
    started('llm', 2),
    failed('llm', 2),
    { type: 'StreamFailed', data: { reason: 'no speech' } },
  ),
);

describe('streams', () => {
  it('contains the stream as folded from its events, with the members that lists filter by', () => {
    const document = documentsAfter(streamsProjection, STORY).get(STREAM)?.body;
    expect(document).toMatchObject({
      streamId: STREAM,
      creatorId: OWNER,
      groupId: STREAM,
      state: 'FAILED',
      name: 'Board meeting',
      createdTimestamp: at(0),
      revision: '7',
    });
    const shown = document as unknown as StreamDocument;
    expect(shown.stream).toMatchObject({
      streamId: STREAM,
      state: 'FAILED',
      stateDescription: 'no speech',
      finalizedTimestamp: at(7),
    });
    expect(streamComponents(shown).processors.map(({ state }) => state)).toEqual(['COMPLETED', 'ERROR']);
  });

  it('omits a stream whose creation was skipped', () => {
    expect(documentsAfter(streamsProjection, STORY.slice(1)).size).toBe(0);
  });
});

describe('usage', () => {
  it('contains a record for each processor in the order of the chain, with the recorded quantities and bill', () => {
    const document = documentsAfter(usageProjection, STORY).get(STREAM)?.body;
    expect(document).toMatchObject({
      creatorId: OWNER,
      streamConfigurationTemplateId: '65f46430c6d8985974ff9c9d',
      createdTimestamp: at(0),
    });
    expect(document?.processors).toEqual([
      expect.objectContaining({
        processorId: 'transcriber',
        destinationTopic: 'transcriber',
        quantities: QUANTITIES,
        bill: BILL,
        startedTimestamp: at(2),
        endedTimestamp: at(3),
        finalUsage: true,
        errorOccurred: false,
      }),
      expect.objectContaining({
        processorId: 'llm',
        attempt: 2,
        startedTimestamp: at(5),
        endedTimestamp: at(6),
        errorOccurred: true,
        bill: BILL,
      }),
    ]);
  });

  it('has its members in one order, whatever their order in the event', () => {
    const turned = (data: object) => JSON.parse(canonicalJson(data));
    const read = STORY.map((event) => ({ ...event, data: turned(event.data) }));
    for (const projection of [usageProjection, usageRecordsProjection]) {
      const textsOf = (events: RecordedEvent[]) => JSON.stringify([...documentsAfter(projection, events).values()]);
      expect(textsOf(read)).toBe(textsOf(STORY));
    }
  });

  it('shows a running processor without a bill, and closes with the stream processors that never ran', () => {
    const running = recorded(...stream(streamCreated(CHAIN), uploaded, started('transcriber')));
    expect(documentsAfter(usageProjection, running).get(STREAM)?.body.processors).toMatchObject([
      { startedTimestamp: at(2), endedTimestamp: null, finalUsage: false, bill: null },
      { startedTimestamp: null, finalUsage: false },
    ]);
    const canceled = recorded(...stream(streamCreated(CHAIN), uploaded, { type: 'StreamCanceled', data: { reason: 'Canceled by user' } }));
    expect(documentsAfter(usageProjection, canceled).get(STREAM)?.body.processors).toMatchObject([
      { startedTimestamp: null, finalUsage: true, errorOccurred: false, bill: null },
      { startedTimestamp: null, finalUsage: true, errorOccurred: false, bill: null },
    ]);
  });
});

describe('groups', () => {
  const join = (streamId: string): GroupEvent => ({
    type: 'StreamJoined',
    data: { groupId: 'g', streamId, streamSubject: OWNER, webhooks: [] },
  });

  it('contains the number of streams and the state', () => {
    const story = recorded(
      ...group(
        { type: 'GroupCreated', data: { groupId: 'g', creatorId: OWNER } },
        join('a'),
        join('b'),
        { type: 'StreamWithdrawn', data: { streamId: 'b' } },
        { type: 'StreamFinished', data: { streamId: 'a', outcome: 'COMPLETED' } },
        { type: 'GroupCompleted', data: {} },
      ),
    );
    expect(documentsAfter(groupsProjection, story).get('g')?.body).toMatchObject({
      groupId: 'g',
      creatorId: OWNER,
      state: 'COMPLETED',
      createdTimestamp: at(0),
      finalizedTimestamp: at(5),
      streamsCount: 1,
      counts: { members: 1, finished: 1, failed: 0, expired: 0 },
      revision: '5',
    });
  });
});

describe('the group of a lone stream', () => {
  const created = streamCreated([link('echo', null)], { ownGroup: true });
  const canceled: StreamEvent = { type: 'StreamCanceled', data: { reason: 'x' } };
  const lone = (...events: DomainEvent[]) => events.map((event) => [`stream-${STREAM}`, event] as const);
  const groupAfter = (...story: (readonly [string, DomainEvent])[]) => {
    const bodies = [1, 3, 500].map((size) => documentsAfter(groupsProjection, recorded(...story), size).get(STREAM)?.body);
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]).toEqual(bodies[2]);
    return bodies[0];
  };

  it.each<[string, DomainEvent[], object]>([
    ['begins with it', [], { state: 'CREATED', createdTimestamp: at(0), finalizedTimestamp: null, streamsCount: 1 }],
    ['completes with it', [{ type: 'StreamCompleted', data: {} }], { state: 'COMPLETED', finalizedTimestamp: at(1) }],
    ['fails with it', [canceled], { state: 'FAILED', finalizedTimestamp: at(1), counts: { finished: 1, failed: 1 } }],
    [
      'runs again with it',
      [canceled, { type: 'RerunStarted', data: { attempt: 2 } }],
      { state: 'CREATED', finalizedTimestamp: null, counts: { finished: 0, failed: 0 } },
    ],
    ['expires with it', [canceled, { type: 'StreamExpired', data: { reason: 'x' } }], { state: 'EXPIRED', counts: { expired: 1 } }],
  ])('%s', (_, events, document) => {
    expect(groupAfter(...lone(created, ...events))).toMatchObject({ groupId: STREAM, creatorId: OWNER, ...document });
  });

  it('follows its own event stream once another stream has joined', () => {
    const continued = { groupId: STREAM, creatorId: OWNER, createdTimestamp: at(0), streamId: STREAM, webhooks: [], attempt: 1 };
    const joined: GroupEvent = { type: 'StreamJoined', data: { groupId: STREAM, streamId: 'b', streamSubject: OWNER, webhooks: [] } };
    const document = groupAfter(
      ...lone(created, canceled, { type: 'OwnGroupShared', data: {} }),
      [`group-${STREAM}`, { type: 'GroupContinued', data: { ...continued, outcome: 'FAILED', finalizedTimestamp: at(1) } }],
      [`group-${STREAM}`, joined],
      ...lone({ type: 'StreamExpired', data: { reason: 'x' } }),
    );
    expect(document).toMatchObject({ state: 'CREATED', createdTimestamp: at(0), streamsCount: 2, revision: '1' });
    expect(document).toMatchObject({ counts: { members: 2, finished: 1, failed: 1, expired: 0 } });
    expect(document).not.toHaveProperty('own');
  });

  it('does not exist for a stream that chose its id', () => {
    expect(groupAfter(...lone(streamCreated([link('echo', null)]), canceled))).toBeUndefined();
  });
});

describe('groups with many streams', () => {
  it('have documents of constant size', () => {
    const story = Array.from({ length: 2_000 }, (_, n): readonly [string, DomainEvent] => [
      'group-g',
      n === 0
        ? { type: 'GroupCreated', data: { groupId: 'g', creatorId: OWNER } }
        : { type: 'StreamJoined', data: { groupId: 'g', streamId: `s${n}`, streamSubject: OWNER, webhooks: [] } },
    ]);
    const document = documentsAfter(groupsProjection, recorded(...story)).get('g')?.body;
    expect(document).toMatchObject({ state: 'CREATED', streamsCount: 1_999 });
    expect(JSON.stringify(document).length).toBeLessThan(1_000);
  });
});

describe('credentials', () => {
  const issue = (credentialId: string): CredentialsEvent => ({
    type: 'CredentialIssued',
    data: {
      credentialId,
      subject: OWNER,
      kind: 'client',
      label: 'laptop',
      role: 'user',
      clientId: `client-${credentialId}`,
      secretHash: `hash-${credentialId}`,
      expiresTimestamp: null,
    },
  });

  it('contains each credential separately, with its newest secret and generation', () => {
    const story = recorded(
      ...credentials(
        issue('a'),
        issue('b'),
        { type: 'CredentialRotated', data: { credentialId: 'a', secretHash: 'newer', generation: 2 } },
        { type: 'CredentialRevoked', data: { credentialId: 'b', reason: 'lost' } },
      ),
    );
    const documents = documentsAfter(credentialsProjection, story);
    expect(documents.get('a')?.body).toMatchObject({
      secretHash: 'newer',
      generation: 2,
      revoked: false,
      createdTimestamp: at(0),
      revision: '2',
    });
    expect(documents.get('b')?.body).toMatchObject({
      clientId: 'client-b',
      generation: 1,
      revoked: true,
      revokedTimestamp: at(3),
      revision: '3',
    });
  });
});

describe('every read model', () => {
  /** Random histories of one or more streams, legal or not, as the pure folds must take them. */
  const histories = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('create', 'upload', 'start', 'complete', 'fail', 'cancel', 'end')),
    { maxLength: 60 },
  );
  const told = (steps: [number, string][]) => {
    const events: Record<string, (streamId: string) => StreamEvent> = {
      create: (streamId) => streamCreated(CHAIN, { streamId }),
      upload: () => uploaded,
      start: () => started('transcriber'),
      complete: () => completed('transcriber'),
      fail: () => failed('llm'),
      cancel: () => ({ type: 'StreamCanceled', data: { reason: 'Canceled by user' } }),
      end: () => ({ type: 'StreamCompleted', data: {} }),
    };
    return recorded(...steps.flatMap(([n, step]) => [[`stream-s${n}`, events[step]?.(`s${n}`) ?? uploaded] as const]));
  };

  it('is not changed by a replay', () => {
    for (const projection of allProjections) expect(writesOfReplay(projection, STORY)).toBe(0);
    fc.assert(
      fc.property(histories, (steps) => {
        for (const projection of allProjections) expect(writesOfReplay(projection, told(steps))).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same for any batches of the log and any replays', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), (steps, size, from) => {
        const story = told(steps);
        for (const projection of allProjections) {
          const whole = documentsAfter(projection, story);
          const some = documentsAfter(projection, story.slice(0, from + 5), size);
          expect(documentsAfter(projection, story.slice(from), size, [...some.values()])).toEqual(whole);
        }
      }),
      { numRuns: 100 },
    );
  });
});
