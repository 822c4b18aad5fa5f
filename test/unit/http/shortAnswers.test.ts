import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { exportRoutes } from '../../../src/http/export/exportRoutes.ts';
import { dataSourceRoute } from '../../../src/http/streams/dataSourceRoute.ts';
import type { Frame, ReadTopicOptions } from '../../../src/stores/topics.ts';
import { ManualNews } from '../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { ProjectedStream, topicOf } from './projectedStream.ts';
import { OWNER, served } from './served.ts';

const FRAMES = 20;
const FRAME_BYTES = 1_000;

/** Topics that count how many reads wait for a frame at the same time. Looks at a first frame do not count. */
class CountedTopics extends MemoryTopics {
  atOnce = 0;
  #reading = 0;

  override async *read(topic: string, options?: ReadTopicOptions): AsyncIterable<Frame> {
    for await (const frame of super.read(topic, options)) {
      const counts = frame.sequence > 0;
      if (counts) this.atOnce = Math.max(this.atOnce, ++this.#reading);
      await turn();
      if (counts) this.#reading -= 1;
      yield frame;
    }
  }
}

/** A stream with an upload and a sink of as many frames. */
const world = async () => {
  const [readModels, topics] = [new MemoryReadModels(), new CountedTopics(systemClock)];
  const deps = { readModels, topics, clock: systemClock, news: new ManualNews(systemClock), maxWait: 0 };
  const call = await served([dataSourceRoute(deps), ...exportRoutes(deps)], readModels, systemClock);
  const streamId = randomUUID();
  new ProjectedStream(readModels, {
    streamId,
    creatorId: OWNER,
    groupId: streamId,
    processors: [{ id: 'echo', schema: 'bytes' }],
  }).completeAll();
  for (const topic of ['source', 'echo'].map((id) => topicOf(streamId, id))) {
    await topics.create(topic);
    await topics.append(
      topic,
      Array.from({ length: FRAMES }, (_, n) => Buffer.alloc(FRAME_BYTES, n)),
    );
    await topics.seal(topic);
  }
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    Buffer.from(await (await call(path, 'owner', { headers })).arrayBuffer());
  return { streamId, topics, ask };
};

describe('what sends little and reads much is read for one request of a user at a time:', () => {
  test('ranges of an upload', async () => {
    const { streamId, topics, ask } = await world();
    const path = `/stream-service/api/v1/streams/${streamId}/data-source`;
    const parts = await Promise.all(
      Array.from({ length: 5 }, () => ask(path, { range: `bytes=${5 * FRAME_BYTES - 1}-${5 * FRAME_BYTES}` })),
    );
    expect(parts).toEqual(parts.map(() => Buffer.from([4, 5])));
    expect(topics.atOnce).toBe(1);
    expect((await ask(path)).length).toBe(FRAMES * FRAME_BYTES);
  });

  test('exports of events without their payloads', async () => {
    const { streamId, topics, ask } = await world();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask(`/export-service/api/v1/export/EVENTS?streams=${streamId}&omitPayload=true`)),
    );
    expect(answers.map((answer) => answer.toString().trimEnd().split('\n').length)).toEqual(answers.map(() => FRAMES));
    expect(topics.atOnce).toBe(1);
  });
});
