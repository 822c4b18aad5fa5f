import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { MESSAGE_SCHEMAS } from '../../../../src/domain/stream/messages.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import type { SpeechRequest } from '../../../../src/http/openai/transcriptions/speechRequest.ts';
import { transcriptEvents } from '../../../../src/http/openai/transcriptions/transcriptEvents.ts';
import { streamsProjection } from '../../../../src/projections/streams.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';
import { ManualClock } from '../../../manualClock.ts';
import { ProjectedStream, topicOf } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const MEBIBYTE = 1_048_576;
const REQUEST = { format: 'json', speakerNames: [] as readonly string[] } as SpeechRequest;

const message = (transcription: string): Buffer => {
  const payload = { transcription, words: [], start: 0, end: 1_000, metadata: {}, channel: null, headers: {}, utterance: true };
  return Buffer.from(JSON.stringify({ frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.transcription, payload }));
};

/** The events of a finished stream with these utterances, and what the answer holds in memory. */
const streamed = async (texts: readonly string[]) => {
  const clock = new ManualClock();
  const [readModels, topics, news] = [new MemoryReadModels(), new MemoryTopics(clock), new ManualNews(clock)];
  const streamId = randomUUID();
  const processors = [{ id: 'p', schema: MESSAGE_SCHEMAS.transcription, operationType: 'BATCH_TRANSCRIPTION' as const }];
  new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors }).completeAll();
  const topic = topicOf(streamId, 'p');
  await topics.create(topic);
  await topics.append(topic, texts.map(message));
  await topics.seal(topic);
  const budget = new MemoryBudget({ memoryPerUserMib: 4, memoryTotalMib: 16 });
  const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
  const document = await readModels.get(streamsProjection, streamId);
  if (!document) throw new Error('the stream was not told');
  const { signal } = new AbortController();
  const events = transcriptEvents({ clock, readModels, topics, news, liveReaders }, document, REQUEST, budget.open(OWNER), signal);
  return { budget, events };
};

const allOf = async (events: AsyncIterable<object>): Promise<object[]> => {
  const all: object[] = [];
  for await (const event of events) all.push(event);
  return all;
};

test('a streamed transcription ends with its whole text, which counts as held', async () => {
  const { events, budget } = await streamed(['one', 'two']);
  expect(await allOf(events)).toMatchObject([
    { type: 'transcript.text.delta', delta: 'one' },
    { type: 'transcript.text.delta', delta: ' two' },
    { type: 'transcript.text.done', text: 'one two' },
  ]);
  expect(budget.of(OWNER)).toBe(4 * 'one two'.length);
});

test('a streamed transcription is refused if memory has no room for its text', async () => {
  const { events } = await streamed(Array(2).fill('x'.repeat(MEBIBYTE - 200)));
  await expect(allOf(events)).rejects.toMatchObject({ statusCode: 429 });
});
