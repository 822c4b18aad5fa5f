import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OPEN_STREAMS } from '../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../src/commands/openStreams/sharedRunning.ts';
import { type NewResumableUpload, openResumableUploads } from '../../../src/commands/resumableUploads.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { link, OWNER, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { openPlatform } from '../projections/node.ts';

const HOUR = 3_600_000;

const open = async () => {
  const clock = new ManualClock();
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, clock, subject: OWNER });
  const { documents } = platform;
  await documents.ensureCollection(OPEN_STREAMS);
  const runningStreams = new SharedRunning({ documents, clock, limit: 100, totalLimit: 100, node: async () => null });
  const topics = new MemoryTopics(clock);
  const uploads = await openResumableUploads({ ...platform, topics, runningStreams, clock, expireMilliseconds: HOUR });
  const create = async (more: Partial<NewResumableUpload> = {}) => {
    const uploadId = randomUUID();
    const upload = {
      uploadId,
      streamId: uploadId,
      owner: OWNER,
      topic: randomUUID(),
      length: 10,
      metadata: null,
      fingerprint: null,
      plan: null,
    };
    const created = await uploads.create({ ...upload, ...more });
    if (!created) throw new Error('the id is in use');
    return created;
  };
  return { ...platform, clock, uploads, topics, create };
};

describe('resumable uploads', () => {
  test('expire with their bytes when no byte has come for their time', async () => {
    const { uploads, topics, create, clock } = await open();
    const [idle, busy] = [await create(), await create()];
    await clock.advance(HOUR - 1);
    expect([await uploads.expire(), await uploads.touch(busy)]).toEqual([0, expect.anything()]);
    await clock.advance(1);
    expect(await uploads.expire()).toBe(1);
    expect([await uploads.get(idle.uploadId), await topics.size(idle.topic)]).toEqual([null, null]);
    expect([await uploads.get(busy.uploadId), await topics.size(busy.topic)]).toEqual([expect.anything(), { frames: 0, bytes: 0 }]);
    expect(await uploads.touch(idle)).toBeNull();
  });

  test('leave their bytes to the stream that they have become', async () => {
    const { uploads, topics, create, append, clock } = await open();
    const upload = await create();
    const created = streamCreated([link('echo', null)], { streamId: upload.streamId });
    created.data.configuration.dataSource.topic = `persistent://t/data-sources/${upload.topic}`;
    await append(`stream-${upload.streamId}`, created.type, JSON.parse(JSON.stringify(created.data)));
    await clock.advance(HOUR);
    expect([await uploads.expire(), await uploads.get(upload.uploadId)]).toEqual([1, null]);
    expect(await topics.size(upload.topic)).toEqual({ frames: 0, bytes: 0 });
  });

  test('have one id each, and refuse a taken one without a trace', async () => {
    const { uploads, topics, create } = await open();
    const first = await create();
    const topic = randomUUID();
    expect(await uploads.create({ ...first, topic })).toBeNull();
    expect([await topics.size(topic), await topics.size(first.topic)]).toEqual([null, { frames: 0, bytes: 0 }]);
  });

  test('count the announced bytes of their user, and are erased with the user', async () => {
    const { uploads, topics, create } = await open();
    const [one, other] = [await create({ length: 10 }), await create({ length: 5 })];
    const foreign = await create({ owner: randomUUID() });
    expect([await uploads.bytesOf(OWNER), await uploads.personal.count(OWNER)]).toEqual([15, 2]);
    await uploads.personal.erased(OWNER, '' as Position);
    expect(await Promise.all([one, other, foreign].map(({ uploadId }) => uploads.get(uploadId)))).toEqual([null, null, expect.anything()]);
    expect(await topics.size(one.topic)).toBeNull();
    expect([await uploads.hasTopic(foreign.topic), await uploads.hasTopic(one.topic)]).toEqual([true, false]);
  });

  test('are erased by a repeated erasure if their bytes could not be deleted', async () => {
    const { uploads, topics, create } = await open();
    const { topic } = await create();
    topics.isAway = true;
    await expect(uploads.personal.erased(OWNER, '' as Position)).rejects.toThrow(StoreUnavailable);
    topics.isAway = false;
    await uploads.personal.erased(OWNER, '' as Position);
    expect([await uploads.personal.count(OWNER), await topics.size(topic)]).toEqual([0, null]);
  });
});
