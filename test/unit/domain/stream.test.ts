import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import { newestRuns } from '../../../src/domain/stream/attempts.ts';
import {
  cancelStream,
  completeRun,
  completeUpload,
  createStream,
  expireStream,
  failRun,
  failUpload,
  NOTHING_USED,
  startRun,
  ZERO_BILL,
} from '../../../src/domain/stream/decisions.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { streamComponents } from '../../../src/domain/stream/streamComponents.ts';
import { completed, failed, link, QUANTITIES, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';

const echo = [link('echo', null, 'live')];
const line = [link('transcriber', null), link('llm', 'transcriber')];
/** `a` then `a1`; `b` beside them. */
const forked = [link('a', null, 'live'), link('a1', 'a'), link('b', null)];

const time = (i: number): string => `2026-01-01T00:00:${String(i).padStart(2, '0')}.000Z`;
const given = (...events: StreamEvent[]): StreamAggregate | null =>
  events.reduce<StreamAggregate | null>((state, event, i) => evolveStream(state, event, time(i)), null);
const types = (decision: readonly StreamEvent[] | 'stale') => (decision === 'stale' ? decision : decision.map(({ type }) => type));
const upload = (state: StreamAggregate | null) => completeUpload(state, { bytes: 5, frames: 1, sha256: 'ab'.repeat(32) });

const cutOff = (processorId: string, attempt = 1, quantities = NOTHING_USED): StreamEvent => ({
  type: 'ProcessorFailed',
  data: {
    processorId,
    attempt,
    reason: 'External close signal received',
    errorName: 'PROCESSOR_GENERAL_ERROR',
    quantities,
    bill: ZERO_BILL,
  },
});
const broken: StreamEvent = { type: 'UploadFailed', data: { reason: 'The client left' } };
const streamFailed = (reason: string): StreamEvent => ({ type: 'StreamFailed', data: { reason } });
const streamCompleted: StreamEvent = { type: 'StreamCompleted', data: {} };
const canceled: StreamEvent = { type: 'StreamCanceled', data: { reason: 'Canceled by user' } };
const expired: StreamEvent = { type: 'StreamExpired', data: { reason: 'Storage time is over' } };

interface Row {
  promise: string;
  given: StreamEvent[];
  when: (state: StreamAggregate | null) => readonly StreamEvent[] | 'stale';
  answer: StreamEvent[] | 'stale' | { refused: number };
}

const rows: Row[] = [
  {
    promise: 'an id that is free makes a stream',
    given: [],
    when: (s) => createStream(s, streamCreated(echo).data),
    answer: [streamCreated(echo)],
  },
  {
    promise: 'an id in use is refused',
    given: [streamCreated(echo)],
    when: (s) => createStream(s, streamCreated(echo).data),
    answer: { refused: 409 },
  },

  { promise: 'an upload of an unknown stream is refused', given: [], when: upload, answer: { refused: 404 } },
  { promise: 'an upload ends', given: [streamCreated(line)], when: upload, answer: [uploaded] },
  { promise: 'an upload ends once', given: [streamCreated(line), uploaded], when: upload, answer: [] },
  {
    promise: 'an upload that ends after all live processors completes the stream',
    given: [streamCreated(echo), started('echo'), completed('echo')],
    when: upload,
    answer: [uploaded, streamCompleted],
  },
  {
    promise: 'an upload may end after its stream has failed by a processor',
    given: [streamCreated(echo), started('echo'), failed('echo'), streamFailed('no speech')],
    when: upload,
    answer: [uploaded],
  },
  {
    promise: 'an upload of a canceled stream is refused',
    given: [streamCreated(line), canceled],
    when: upload,
    answer: { refused: 409 },
  },
  {
    promise: 'an upload that was given up is refused',
    given: [streamCreated(line), broken, streamFailed('The client left')],
    when: upload,
    answer: { refused: 409 },
  },

  {
    promise: 'a broken upload fails the stream and cuts off what runs',
    given: [streamCreated(forked), started('a')],
    when: (s) => failUpload(s, { reason: 'The client left' }),
    answer: [broken, cutOff('a'), streamFailed('The client left')],
  },
  {
    promise: 'what was measured of a run that is cut off is told',
    given: [streamCreated(echo), started('echo')],
    when: (s) => failUpload(s, { reason: 'The client left' }, new Map([['echo', QUANTITIES]])),
    answer: [broken, cutOff('echo', 1, QUANTITIES), streamFailed('The client left')],
  },
  {
    promise: 'an upload that has ended cannot break',
    given: [streamCreated(line), uploaded],
    when: (s) => failUpload(s, { reason: 'x' }),
    answer: [],
  },
  {
    promise: 'a canceled upload cannot break',
    given: [streamCreated(line), canceled],
    when: (s) => failUpload(s, { reason: 'x' }),
    answer: [],
  },
  {
    promise: 'an upload may break after its stream has failed by a processor',
    given: [streamCreated(echo), started('echo'), failed('echo'), streamFailed('no speech')],
    when: (s) => failUpload(s, { reason: 'The client left' }),
    answer: [broken],
  },

  { promise: 'cancel of an unknown stream is refused', given: [], when: cancelStream, answer: { refused: 404 } },
  {
    promise: 'cancel cuts off what runs',
    given: [streamCreated(forked), started('a', 3)],
    when: cancelStream,
    answer: [cutOff('a', 3), canceled],
  },
  { promise: 'cancel twice appends nothing', given: [streamCreated(line), canceled], when: cancelStream, answer: [] },
  {
    promise: 'cancel of a failed stream appends nothing',
    given: [streamCreated(line), broken, streamFailed('x')],
    when: cancelStream,
    answer: [],
  },
  {
    promise: 'cancel of a completed stream is refused',
    given: [streamCreated(echo), uploaded, started('echo'), completed('echo'), streamCompleted],
    when: cancelStream,
    answer: { refused: 409 },
  },
  {
    promise: 'cancel of an expired stream is refused',
    given: [streamCreated(line), canceled, expired],
    when: cancelStream,
    answer: { refused: 409 },
  },

  {
    promise: 'a run starts',
    given: [streamCreated(echo)],
    when: (s) => startRun(s, { processorId: 'echo', attempt: 1 }),
    answer: [started('echo')],
  },
  {
    promise: 'a run starts again with a higher attempt',
    given: [streamCreated(echo), started('echo', 1)],
    when: (s) => startRun(s, { processorId: 'echo', attempt: 2 }),
    answer: [started('echo', 2)],
  },
  {
    promise: 'a start that is stored already is not stored again',
    given: [streamCreated(echo), started('echo', 2)],
    when: (s) => startRun(s, { processorId: 'echo', attempt: 2 }),
    answer: [],
  },
  {
    promise: 'an older attempt does not start',
    given: [streamCreated(echo), started('echo', 2)],
    when: (s) => startRun(s, { processorId: 'echo', attempt: 1 }),
    answer: 'stale',
  },
  {
    promise: 'nothing starts in a canceled stream',
    given: [streamCreated(echo), canceled],
    when: (s) => startRun(s, { processorId: 'echo', attempt: 1 }),
    answer: 'stale',
  },
  {
    promise: 'a processor that is not in the chain does not start',
    given: [streamCreated(echo)],
    when: (s) => startRun(s, { processorId: '__proto__', attempt: 1 }),
    answer: 'stale',
  },

  {
    promise: 'a run that is not the last ends alone',
    given: [streamCreated(line), uploaded, started('transcriber')],
    when: (s) => completeRun(s, completed('transcriber').data),
    answer: [completed('transcriber')],
  },
  {
    promise: 'the last run completes the stream',
    given: [streamCreated(echo), uploaded, started('echo')],
    when: (s) => completeRun(s, completed('echo').data),
    answer: [completed('echo'), streamCompleted],
  },
  {
    promise: 'a stream whose processors have all ended waits for its upload',
    given: [streamCreated(echo), started('echo')],
    when: (s) => completeRun(s, completed('echo').data),
    answer: [completed('echo')],
  },
  {
    promise: 'an outcome of an older attempt is stale',
    given: [streamCreated(echo), uploaded, started('echo', 1), started('echo', 2)],
    when: (s) => completeRun(s, completed('echo', 1).data),
    answer: 'stale',
  },
  {
    promise: 'an outcome without a run is stale',
    given: [streamCreated(echo)],
    when: (s) => completeRun(s, completed('echo', 1).data),
    answer: 'stale',
  },
  {
    promise: 'an outcome that is stored already is not stored again',
    given: [streamCreated(echo), uploaded, started('echo'), completed('echo'), streamCompleted],
    when: (s) => completeRun(s, completed('echo').data),
    answer: [],
  },
  {
    promise: 'an outcome after a cancel is stale',
    given: [streamCreated(echo), started('echo'), cutOff('echo'), canceled],
    when: (s) => completeRun(s, completed('echo').data),
    answer: 'stale',
  },
  {
    promise: 'a failure after a cancel is stale',
    given: [streamCreated(echo), started('echo'), cutOff('echo'), canceled],
    when: (s) => failRun(s, failed('echo').data),
    answer: 'stale',
  },
  {
    promise: 'a failure closes what stands behind it and fails the stream at once, though the upload goes on',
    given: [streamCreated([link('a', null, 'live'), link('a1', 'a')]), started('a')],
    when: (s) => failRun(s, failed('a').data),
    answer: [failed('a'), streamFailed('no speech')],
  },
  {
    promise: 'an independent branch goes on after a failure',
    given: [streamCreated(forked), started('a')],
    when: (s) => failRun(s, failed('a').data),
    answer: [failed('a')],
  },
  {
    promise: 'the stream fails when the independent branch has ended',
    given: [streamCreated(forked), started('a'), failed('a'), uploaded, started('b')],
    when: (s) => completeRun(s, completed('b').data),
    answer: [completed('b'), streamFailed('no speech')],
  },
  {
    promise: 'a failure that is stored already is not stored again',
    given: [streamCreated(echo), started('echo'), failed('echo'), streamFailed('no speech')],
    when: (s) => failRun(s, failed('echo').data),
    answer: [],
  },

  {
    promise: 'a finished stream expires',
    given: [streamCreated(line), canceled],
    when: (s) => expireStream(s, 'Storage time is over'),
    answer: [expired],
  },
  {
    promise: 'a stream expires once',
    given: [streamCreated(line), canceled, expired],
    when: (s) => expireStream(s, 'x'),
    answer: [],
  },
  {
    promise: 'a running stream does not expire',
    given: [streamCreated(line)],
    when: (s) => expireStream(s, 'x'),
    answer: { refused: 409 },
  },
];

describe('stream decisions', () => {
  test.each(rows)('$promise', (row) => {
    const state = given(...row.given);
    if (typeof row.answer === 'object' && 'refused' in row.answer) {
      const refused = (() => {
        try {
          return row.when(state);
        } catch (error) {
          return error;
        }
      })();
      expect(refused).toBeInstanceOf(Problem);
      expect(refused).toMatchObject({ statusCode: row.answer.refused });
    } else {
      const decision = row.when(state);
      expect(types(decision)).toEqual(types(row.answer));
      expect(decision).toEqual(row.answer);
    }
  });
});

const resource = (state: StreamAggregate | null) => state?.stream;
const components = (state: StreamAggregate | null) => state && streamComponents(state);
const runs = (state: StreamAggregate | null) => state && newestRuns(state);
const states = (state: StreamAggregate | null) => runs(state)?.map((run) => run.state);

describe('stream state', () => {
  test('is READY for a new stream, with a CONNECTED gateway and WAITING processors', () => {
    const state = given(streamCreated(line));
    expect(resource(state)).toMatchObject({
      streamId: streamCreated(line).data.streamId,
      name: 'Board meeting',
      groupId: streamCreated(line).data.groupId,
      configuration: streamCreated(line).data.configuration,
      createdTimestamp: time(0),
      creatorId: streamCreated(line).data.creatorId,
      groupCreatorId: streamCreated(line).data.groupCreatorId,
      state: 'READY',
      stateDescription: null,
      finalizedTimestamp: null,
      attempt: 1,
    });
    expect(components(state)).toEqual({
      streamId: streamCreated(line).data.streamId,
      groupId: streamCreated(line).data.groupId,
      state: 'READY',
      stateDescription: null,
      advice: null,
      stateChangedTimestamp: time(0),
      attempt: 1,
      gateway: { state: 'CONNECTED', stateChangedTimestamp: time(0) },
      processors: ['transcriber', 'llm'].map((processorId) => ({
        processorId,
        state: 'WAITING',
        stateChangedTimestamp: time(0),
        stateDescription: null,
        ...{ attempt: 1, tries: 0, startedTimestamp: null, endedTimestamp: null, errorName: null },
      })),
      attempts: [
        { attempt: 1, from: null, reason: null, state: 'READY', stateDescription: null, startedTimestamp: time(0), endedTimestamp: null },
      ],
    });
  });

  test('names a cancellation, with running processors in ERROR and waiting ones CLOSED', () => {
    const events = [streamCreated(forked), started('a')];
    const state = given(...events, ...cancelStream(given(...events)));
    expect(resource(state)).toMatchObject({ state: 'FAILED', stateDescription: 'Canceled by user', finalizedTimestamp: time(3) });
    expect(components(state)).toMatchObject({
      gateway: { state: 'CLOSED', stateChangedTimestamp: time(3) },
      processors: [
        { processorId: 'a', state: 'ERROR', stateDescription: 'External close signal received' },
        { processorId: 'a1', state: 'CLOSED', stateDescription: null },
        { processorId: 'b', state: 'CLOSED', stateDescription: null },
      ],
    });
  });

  test('keeps description, quantities and bill of a completed run, apart from its own description', () => {
    const done = completed('echo');
    const described = { ...done, data: { ...done.data, description: 'Stream has no prompt enabled' } };
    const state = given(streamCreated(echo), uploaded, started('echo'), described, streamCompleted);
    expect(resource(state)).toMatchObject({ state: 'COMPLETED', stateDescription: null, finalizedTimestamp: time(4) });
    expect(runs(state)?.[0]).toMatchObject({
      state: 'COMPLETED',
      stateDescription: 'Stream has no prompt enabled',
      attempt: 1,
      startedTimestamp: time(2),
      endedTimestamp: time(3),
      quantities: done.data.quantities,
      bill: done.data.bill,
    });
    expect(state?.upload).toEqual({ ...uploaded.data, state: 'completed', endedTimestamp: time(1) });
  });

  test('closes only the branch of a failed processor', () => {
    expect(states(given(streamCreated(forked), started('a'), failed('a')))).toEqual(['ERROR', 'CLOSED', 'WAITING']);
  });

  test('keeps the description and the end of an expired stream', () => {
    const state = given(streamCreated(line), canceled, expired);
    expect(resource(state)).toMatchObject({ state: 'EXPIRED', stateDescription: 'Canceled by user', finalizedTimestamp: time(1) });
    expect(components(state)).toMatchObject({ stateChangedTimestamp: time(2) });
  });

  test('contains a large sink once, though its event names it twice', () => {
    const created = streamCreated(echo);
    const { configuration } = created.data;
    const dataSinks = Object.fromEntries(configuration.processors.map(({ id, destination }) => [id, { ...destination }]));
    const state = given({ ...created, data: { ...created.data, configuration: { ...configuration, dataSinks } } });
    const [processor] = state?.stream.configuration.processors ?? [];
    expect(state?.stream.configuration.dataSinks).toEqual(dataSinks);
    expect(state?.stream.configuration.dataSinks.echo).toBe(processor?.destination);
  });

  test('can be folded from erased members', () => {
    const { data } = streamCreated(echo);
    const erased = JSON.parse(JSON.stringify({ type: 'StreamCreated', data }));
    erased.data.name = null;
    erased.data.configuration.processors[0].properties = null;
    erased.data.configuration.dynamicWebhookEndpoints[0].url = null;
    const stream = resource(given(erased));
    expect(stream).toMatchObject({ name: null, configuration: { processors: [{ properties: {} }], dynamicWebhookEndpoints: [] } });
  });
});
