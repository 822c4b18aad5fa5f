import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { MESSAGE_SCHEMAS } from '../../../../src/domain/stream/messages.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { finishedSpeech } from '../../../../src/http/openai/transcriptions/finishedSpeech.ts';
import { streamsProjection } from '../../../../src/projections/streams.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';
import { ManualClock } from '../../../manualClock.ts';
import { ProjectedStream, topicOf } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const MEBIBYTE = 1_048_576;

test('refuses a transcription for which memory has no room, and tells the client not to upload it again', async () => {
  const clock = new ManualClock();
  const [readModels, topics] = [new MemoryReadModels(), new MemoryTopics(clock)];
  const streamId = randomUUID();
  const processors = [{ id: 'p', schema: MESSAGE_SCHEMAS.transcription, operationType: 'BATCH_TRANSCRIPTION' as const }];
  new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId: streamId, processors }).completeAll();
  const topic = topicOf(streamId, 'p');
  await topics.create(topic);
  for (let n = 0; n < 3; n += 1) await topics.append(topic, [Buffer.alloc(MEBIBYTE)]);
  const document = await readModels.get(streamsProjection, streamId);
  if (!document) throw new Error('the stream was not told');
  const memory = new MemoryBudget({ memoryPerUserMib: 4, memoryTotalMib: 16 }).open(OWNER);
  await expect(finishedSpeech(topics, document, memory, new AbortController().signal)).rejects.toMatchObject({
    statusCode: 429,
    headers: { 'Retry-After': '1', 'x-should-retry': 'false' },
  });
});
