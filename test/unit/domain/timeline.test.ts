import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { Timeline } from '../../../src/domain/stream/timeline.ts';
import { BILL, completed, failed, link, QUANTITIES, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { operationsOf } from '../http/input/countedOperations.ts';

const CHAIN = [link('a', null), link('b', 'a')];
const second = (n: number): string => new Date(n * 1_000).toISOString();

/** One event a second, from second 0. */
const told = (...events: StreamEvent[]): Timeline => {
  const timeline = new Timeline();
  for (const [n, event] of events.entries()) timeline.add({ event, time: second(n), correlationId: `request ${n}` });
  return timeline;
};
const states = (timeline: Timeline, attempt = 1) => timeline.attempts()[attempt - 1]?.stages.map(({ state }) => state);
const awaited = (reason: string | null = 'The engine is away.'): StreamEvent => ({
  type: 'EngineAwaited',
  data: { processorId: 'a', attempt: 1, reason },
});
const returned: StreamEvent = { type: 'EngineReturned', data: { processorId: 'a', attempt: 1 } };
const RERUN: StreamEvent = {
  type: 'RerunStarted',
  data: {
    ...{ attempt: 2, from: 'b', reason: 'again', streamConfigurationTemplateId: 't', idempotency: null },
    processors: [{ processorId: 'b', operationType: 'NO_OPERATION', sourceTopic: 'x/a', destinationTopic: 'x/b2', properties: {} }],
  },
};

describe('the timeline of a stream', () => {
  test('shows each stage from waiting over queued and running to completed', () => {
    const story = [streamCreated(CHAIN), uploaded, started('a'), completed('a'), started('b'), completed('b')];
    expect(story.map((_, n) => states(told(...story.slice(0, n + 1))))).toEqual([
      ['WAITING', 'WAITING'],
      ['QUEUED', 'WAITING'],
      ['RUNNING', 'WAITING'],
      ['COMPLETED', 'QUEUED'],
      ['COMPLETED', 'RUNNING'],
      ['COMPLETED', 'COMPLETED'],
    ]);
    const [a, b] = told(...story).attempts()[0]?.stages ?? [];
    expect(a).toMatchObject({
      queuedTimestamp: second(1),
      tries: [second(2)],
      endedTimestamp: second(3),
      quantities: QUANTITIES,
      bill: BILL,
    });
    expect(b).toMatchObject({ queuedTimestamp: second(3), tries: [second(4)], endedTimestamp: second(5) });
  });

  test('counts a live stage as queued from the first byte, and one behind it from its start', () => {
    const live = [link('a', null, 'live'), link('b', 'a', 'live')];
    const [a, b] = told(streamCreated(live), started('a')).attempts()[0]?.stages ?? [];
    expect([a?.queuedTimestamp, b?.queuedTimestamp, b?.state]).toEqual([second(0), second(1), 'QUEUED']);
  });

  test('shows every attempt of a stage', () => {
    const timeline = told(streamCreated(CHAIN), uploaded, started('a', 1), started('a', 2), failed('a', 2, 'no speech'));
    expect(timeline.attempts()[0]?.stages).toMatchObject([
      { state: 'FAILED', tries: [second(2), second(3)], failure: { errorName: 'PROCESSOR_GENERAL_ERROR', reason: 'no speech' } },
      { state: 'CLOSED', tries: [], failure: null },
    ]);
  });

  test('shows a wait for the engine until the engine is back', () => {
    const story = [streamCreated(CHAIN), uploaded, started('a'), awaited()];
    expect(states(told(...story))).toEqual(['WAITING_FOR_ENGINE', 'WAITING']);
    expect(states(told(...story, returned))).toEqual(['RUNNING', 'WAITING']);
    const [a] = told(...story, returned, awaited(null)).attempts()[0]?.stages ?? [];
    expect(a?.waits).toEqual([
      { since: second(3), until: second(4), reason: 'The engine is away.' },
      { since: second(5), until: null, reason: null },
    ]);
  });

  test.each<[string, StreamEvent]>([
    ['the outcome of the stage', completed('a')],
    ['the next try', started('a', 2)],
    ['a cancel', { type: 'StreamCanceled', data: { reason: 'Canceled by user' } }],
  ])('ends a wait for the engine with %s', (_, event) => {
    const [a] = told(streamCreated(CHAIN), uploaded, started('a'), awaited(), awaited(), event).attempts()[0]?.stages ?? [];
    expect(a?.waits).toEqual([{ since: second(3), until: second(5), reason: 'The engine is away.' }]);
  });

  test('shows the engine and the model of the outcome', () => {
    const outcome = completed('a');
    const timeline = told(streamCreated(CHAIN), uploaded, started('a'), {
      ...outcome,
      data: { ...outcome.data, engine: { name: 'whisper', model: 'base' } },
    });
    expect(timeline.attempts()[0]?.stages.map(({ engine }) => engine)).toEqual([{ name: 'whisper', model: 'base' }, null]);
  });

  test('names the engine of a stage that still runs', () => {
    const chosen: StreamEvent = {
      type: 'EngineChosen',
      data: { processorId: 'a', attempt: 1, engine: { name: 'whisper', model: 'base' } },
    };
    const timeline = told(streamCreated(CHAIN), uploaded, started('a'), awaited(), chosen);
    expect(timeline.attempts()[0]?.stages[0]).toMatchObject({
      ...{ state: 'WAITING_FOR_ENGINE', engine: { name: 'whisper', model: 'base' } },
    });
  });

  test('lists only the repeated stages of a rerun, under the request that asked for it', () => {
    const first = [streamCreated(CHAIN), uploaded, started('a'), completed('a'), started('b'), failed('b')];
    const timeline = told(...first, { type: 'StreamFailed', data: { reason: 'no speech' } }, RERUN);
    const [one, two] = timeline.attempts();
    expect(one).toMatchObject({ attempt: 1, state: 'FAILED', correlationId: 'request 0', stages: [{}, { state: 'FAILED' }] });
    expect(two).toMatchObject({ attempt: 2, from: 'b', reason: 'again', state: 'READY', correlationId: 'request 7' });
    expect(two?.stages).toHaveLength(1);
    // Its input has been there since the first attempt, but it was not asked for.
    expect(two?.stages[0]).toMatchObject({ state: 'QUEUED', queuedTimestamp: second(7), tries: [] });
  });

  test('has no attempts before the first event', () => {
    expect(new Timeline().attempts()).toEqual([]);
  });
});

test('work for the attempts of a stream is in proportion to their number and to the number of stages', () => {
  const timelineOf = (attempts: number, stages: number): Timeline => {
    const ids = Array.from({ length: stages }, (_, n) => `p${n}`);
    const chain = ids.map((id, n) => link(id, ids[n - 1] ?? null));
    const rerun = (attempt: number): StreamEvent => ({
      type: 'RerunStarted',
      data: {
        ...{ attempt, from: null, reason: null, streamConfigurationTemplateId: 't', idempotency: null },
        processors: ids.map((processorId) => ({
          ...{ processorId, operationType: 'NO_OPERATION', sourceTopic: 'x/a', destinationTopic: `x/${processorId}`, properties: {} },
        })),
      },
    });
    return told(streamCreated(chain), uploaded, ...Array.from({ length: attempts - 1 }, (_, n) => rerun(n + 2)));
  };
  const work = (attempts: number, stages: number): number => {
    const timeline = timelineOf(attempts, stages);
    return operationsOf(() => timeline.attempts());
  };
  const few = work(20, 10);
  expect(work(20, 40)).toBeLessThan(8 * few);
  expect(timelineOf(20, 10).attempts()).toHaveLength(20);
});
