import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { HeldRead } from '../../../../src/http/export/heldReads.ts';
import { finishedSpeech, TIMED_OUT } from '../../../../src/http/openai/transcriptions/finishedSpeech.ts';
import { eventually } from '../../../eventually.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';
import { ManualClock } from '../../../manualClock.ts';
import { ProjectedStream } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const FULL = 100 * 1_048_576;

/** A finished stream, whose answer finds the memory for open reads full. */
const waiting = (signal: AbortSignal) => {
  const clock = new ManualClock();
  const [readModels, topics, news] = [new MemoryReadModels(), new MemoryTopics(clock), new ManualNews(clock)];
  const streamId = randomUUID();
  new ProjectedStream(readModels, {
    streamId,
    creatorId: OWNER,
    groupId: streamId,
    processors: [{ id: 'p', schema: 'bytes' }],
  }).completeAll();
  const reads = new BytesOfUsers(new BytesInAll());
  reads.add(OWNER, FULL);
  const held = new HeldRead(OWNER, Object.assign(new EventEmitter(), { destroyed: false }) as never, reads);
  const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
  const answer = finishedSpeech({ clock, readModels, topics, news, liveReaders }, streamId, held, signal);
  return { clock, reads, streamId, answer };
};

test('waits with a finished transcription for room in memory, instead of refusing it after the work', async () => {
  const { clock, reads, streamId, answer } = waiting(new AbortController().signal);
  await eventually(() => expect(clock.sleeping).toBe(1));
  await clock.advance(20_000);
  expect(clock.sleeping).toBe(1);
  reads.add(OWNER, -FULL);
  await clock.advance(500);
  expect((await answer).document.stream.streamId).toBe(streamId);
});

test('stops waiting for room in memory when the request is over', async () => {
  const over = new AbortController();
  const { clock, answer } = waiting(over.signal);
  await eventually(() => expect(clock.sleeping).toBe(1));
  const refused = expect(answer).rejects.toThrow('the request is over');
  over.abort(new Error('the request is over'));
  await refused;
});

test('refuses a finished transcription for its missing room after the longest wait, and not as still running', async () => {
  const over = new AbortController();
  const { clock, answer } = waiting(over.signal);
  await eventually(() => expect(clock.sleeping).toBe(1));
  const refused = expect(answer).rejects.toMatchObject({ statusCode: 503, message: expect.stringContaining('too much memory') });
  over.abort(TIMED_OUT);
  await refused;
});
