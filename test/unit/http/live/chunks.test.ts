import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { liveSinks } from '../../../../src/http/export/sinks.ts';
import { type LiveRead, liveChunks } from '../../../../src/http/live/chunks.ts';
import { liveParameters } from '../../../../src/http/live/parameters.ts';
import { streamsProjection } from '../../../../src/projections/streams.ts';
import { openEmbeddedTopics } from '../../../../src/stores/embedded/topics.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { turnsOf } from '../../../turnsOf.ts';
import { ProjectedStream } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const FRAMES = 50_000;

test('a live read gives way to other work, however many tiny frames arrive at once', async () => {
  const readModels = new MemoryReadModels();
  const streamId = randomUUID();
  const processors = [{ id: 'echo', schema: 'bytes' as const }];
  const story = new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors });
  story.start('echo');
  const document = await readModels.get(streamsProjection, streamId);
  if (!document) throw new Error('the story was not told');
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock });
  // As if one read of the topic had returned all of them.
  topics.read = async function* () {
    const data = Buffer.from('a');
    for (let sequence = 0; sequence < FRAMES; sequence += 1) yield { sequence, at: 0, data };
  };
  const listen = () => ({ next: async () => false, stop: () => {} });
  const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
  const deps = { topics, clock: systemClock, readModels, news: { listen }, liveReaders };
  const read: LiveRead = {
    attended: [],
    sinks: liveSinks(document, { tags: [], all: true }),
    parameters: liveParameters({
      query: {
        streams: [streamId],
        streamsInclusion: 'INCLUDE',
        matchTags: 'ANY',
        format: 'NDJSON',
        acceptFrameType: 'partial-final',
        omitPayload: false,
        excludeNoPayload: false,
      },
    }),
    signal: new AbortController().signal,
  };
  let lines = 0;
  const turns = await turnsOf(async () => {
    for await (const _ of liveChunks(deps, read)) lines += 1;
  });
  await topics.close();
  expect(lines).toBe(FRAMES);
  expect(turns).toBeGreaterThan(5);
});
