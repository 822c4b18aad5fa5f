import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { type LiveRead, liveChunks } from '../../../../src/http/live/chunks.ts';
import { liveParameters } from '../../../../src/http/live/parameters.ts';
import { streamsProjection } from '../../../../src/projections/streams.ts';
import { liveSinks } from '../../../../src/results/sinks.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';
import { ProjectedStream, topicOf } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const QUERY = {
  streamsInclusion: 'INCLUDE',
  matchTags: 'ANY',
  format: 'RAW',
  acceptFrameType: 'partial-final',
  omitPayload: false,
  excludeNoPayload: false,
} as const;

/** A live read of as many sinks with a frame of 1 MiB each, by a user who may hold 4 MiB. */
const readOf = async (count: number) => {
  const [readModels, topics] = [new MemoryReadModels(), new MemoryTopics(systemClock)];
  const streamId = randomUUID();
  const processors = Array.from({ length: count }, (_, n) => ({ id: `echo-${n}`, schema: 'bytes' }));
  const story = new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors });
  for (const { id } of processors) {
    const topic = topicOf(streamId, id);
    await topics.create(topic);
    await topics.append(topic, [Buffer.alloc(1_048_576)]);
    await topics.seal(topic);
  }
  story.completeAll();
  const document = await readModels.get(streamsProjection, streamId);
  if (!document) throw new Error('the story was not told');
  const liveReaders = { enter: async () => async () => {} };
  const budget = new MemoryBudget({ memoryPerUserMib: 4, memoryTotalMib: 16 });
  const memory = budget.open(OWNER);
  const read: LiveRead = {
    attended: [],
    sinks: liveSinks(document, { tags: [], all: true }),
    parameters: liveParameters({ query: { ...QUERY, streams: [streamId] } }),
    signal: new AbortController().signal,
    memory,
  };
  const deps = { topics, clock: systemClock, readModels, news: new ManualNews(systemClock), liveReaders };
  return { chunks: liveChunks(deps, read), memory, budget };
};

test('a live read counts the last frame of each sink, and gives them back at its end', async () => {
  const { chunks, memory, budget } = await readOf(3);
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  expect(bytes).toBe(3 * 1_048_576);
  expect(budget.of(OWNER)).toBe(3 * 1_048_576);
  memory.release();
  expect(budget.total).toBe(0);
});

test('a live read whose frames exceed the memory of its user ends', async () => {
  const { chunks } = await readOf(8);
  const all = async () => {
    for await (const _ of chunks);
  };
  await expect(all()).rejects.toMatchObject({ statusCode: 429 });
});
