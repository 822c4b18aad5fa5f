import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { followSink } from '../../../../src/http/live/follow.ts';
import { streamsProjection } from '../../../../src/projections/streams.ts';
import { liveSinks } from '../../../../src/results/sinks.ts';
import { openEmbeddedTopics } from '../../../../src/stores/embedded/topics.ts';
import { eventually } from '../../../eventually.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { ManualClock } from '../../../manualClock.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { ProjectedStream } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

/** A stream whose run waits to start, its sink, and the number of looks at it. */
const waitingStream = async () => {
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock });
  onTestFinished(() => topics.close());
  const readModels = new MemoryReadModels();
  const looks = vi.spyOn(readModels, 'getFresh');
  const streamId = randomUUID();
  const processors = [{ id: 'echo', schema: 'bytes' }];
  new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors });
  const document = await readModels.get(streamsProjection, streamId);
  const [sink] = document ? liveSinks(document, { tags: [], all: true }) : [];
  if (!sink) throw new Error('the story has no sink');
  return { topics, readModels, looks: () => looks.mock.calls.length, streamId, sink };
};

test('a reader looks again soon after news that come right after a look', async () => {
  const { topics, readModels, looks, streamId, sink } = await waitingStream();
  const clock = new ManualClock();
  const news = new ManualNews(clock);
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const _ of followSink({ topics, clock, readModels, news }, sink, -1, leaving.signal));
  })().catch(() => undefined);
  await eventually(() => looks() === 1);
  news.tell(streamId);
  for (let waited = 0; waited < 60; waited += 1) await clock.advance(1);
  expect(looks()).toBeGreaterThan(1);
  leaving.abort();
  await reading;
});
