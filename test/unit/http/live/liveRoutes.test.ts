import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import type { ErrorResponse } from '../../../../src/domain/problem.ts';
import { liveRoutes } from '../../../../src/http/live/liveRoutes.ts';
import { DEFAULT_LIMITS } from '../../../../src/limits.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';
import { ProjectedStream } from '../projectedStream.ts';
import { bodyOf, OWNER, served } from '../served.ts';

test('live reads hold no place among the requests of their user', async () => {
  const [readModels, topics] = [new MemoryReadModels(), new MemoryTopics(systemClock)];
  const news = new ManualNews(systemClock);
  const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
  const call = await served(
    liveRoutes({ readModels, topics, news, liveReaders, clock: systemClock, maxWait: 300 }),
    readModels,
    systemClock,
  );
  const streamId = randomUUID();
  const processors = [{ id: 'echo', schema: 'bytes' }];
  const story = new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors });
  const read = () => call(`/egress-service/api/v1/egress/live?streams=${streamId}`);
  const open = await Promise.all(Array.from({ length: DEFAULT_LIMITS.maxRequestsPerUser + 1 }, read));
  expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
  story.tell({ type: 'StreamCanceled', data: { reason: 'Canceled by user' } });
  news.tell(streamId);
  expect(await Promise.all(open.map((answer) => answer.text()))).toEqual(open.map(() => ''));
});

test('a live read of more than 1,000 sinks is 400', async () => {
  const readModels = new MemoryReadModels();
  const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
  const topics = new MemoryTopics(systemClock);
  const news = new ManualNews(systemClock);
  const routes = liveRoutes({ readModels, topics, news, liveReaders, clock: systemClock, maxWait: 300 });
  const call = await served(routes, readModels, systemClock);
  const groupId = randomUUID();
  const tell = (count: number): void => {
    const processors = Array.from({ length: count }, (_, n) => ({ id: `p${n}`, schema: 'bytes' }));
    new ProjectedStream(readModels, { streamId: randomUUID(), creatorId: OWNER, groupId, processors }).completeAll();
  };
  for (let n = 0; n < 10; n += 1) tell(100);
  expect((await call(`/egress-service/api/v1/egress/live?group=${groupId}`)).status).toBe(200);
  tell(1);
  const refused = await call(`/egress-service/api/v1/egress/live?group=${groupId}`);
  expect(refused.status).toBe(400);
  expect((await bodyOf<ErrorResponse>(refused)).message).toContain('follows at most 1000 sinks');
});
