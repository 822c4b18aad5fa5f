import { expect, test } from 'vitest';
import { eraseStream } from '../../../src/domain/stream/erasure.ts';
import { STREAM_EVENTS, type StreamEvent } from '../../../src/domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { erased } from '../../fakes/erased.ts';
import { STREAM_HISTORIES } from '../../fakes/streamHistories.ts';

const fold = (events: readonly StreamEvent[]): StreamAggregate => {
  const stream = events.reduce<StreamAggregate | null>((state, event) => evolveStream(state, event, '2026-01-01T00:00:00.000Z'), null);
  if (!stream) throw new Error('no events');
  return stream;
};

test.each(Object.entries(STREAM_HISTORIES))('erasing %s stream equals folding its erased events', (_, events) => {
  const message = 'src/domain/stream/erasure.ts does not treat a member as it must: keep it there, or empty it if it is personal.';
  expect(eraseStream(fold(events)), message).toEqual(fold(events.map(erased)));
});

test.each(Object.entries(STREAM_HISTORIES))('finds nothing more to erase in %s stream that was erased', (_, events) => {
  const remains = fold(events.map(erased));
  expect(eraseStream(remains)).toBe(remains);
});

test.each(Object.keys(STREAM_EVENTS))('tests the erasure of a stream with %s', (type) => {
  const tested = Object.values(STREAM_HISTORIES).flatMap((events) => events.map((event) => event.type));
  expect(tested, `Add ${type}, with all its members, to one of STREAM_HISTORIES (test/fakes/streamHistories.ts).`).toContain(type);
});
