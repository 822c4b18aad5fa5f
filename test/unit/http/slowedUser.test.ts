import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { liveRoutes } from '../../../src/http/live/liveRoutes.ts';
import { eventually } from '../../eventually.ts';
import { ManualNews } from '../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { ALICE, BOB, startGateway } from './gateway/gatewayServer.ts';
import { ProjectedStream, topicOf } from './projectedStream.ts';
import { OTHER, OWNER, served } from './served.ts';
import { slowedUser } from './slowedUser.ts';

const PING = '65f46430c6d8985974ff9c9d';
const [SMALL, LARGE] = [Buffer.alloc(10_000, 'a'), Buffer.alloc(2_097_152, 'a')];

/** A gateway where Alice is slowed down, and Bob is not. */
const gatewayOfSlowed = async () => {
  const { clock, traffic } = await slowedUser(ALICE, BOB);
  const gateway = await startGateway(temporaryDirectory(), { traffic });
  onTestFinished(() => gateway.close());
  const statuses: Record<string, number> = {};
  const upload = (name: string, body: Buffer, subject = ALICE): void => {
    const query = `streamConfigurationTemplateId=${PING}`;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-subject': subject },
      body: new Uint8Array(body),
    };
    void fetch(`${gateway.url}/http-gateway/api/v1/upload?${query}`, init).then(({ status }) => {
      statuses[name] = status;
    });
  };
  return { clock, statuses, upload };
};

describe('a user who is slowed down', () => {
  test('waits with a small upload, while another user does not wait', async () => {
    const { clock, statuses, upload } = await gatewayOfSlowed();
    upload('slowed', SMALL);
    await eventually(() => expect(clock.sleeping).toBe(1));
    upload('other', SMALL, BOB);
    await eventually(() => expect(statuses).toEqual({ other: 200 }));
    await clock.advance(5_000);
    await eventually(() => expect(statuses).toEqual({ other: 200, slowed: 200 }));
  });

  test('waits before each piece of a large upload', async () => {
    const { clock, statuses, upload } = await gatewayOfSlowed();
    upload('slowed', LARGE);
    await eventually(() => expect(clock.sleeping).toBe(1));
    upload('other', LARGE, BOB);
    await eventually(() => expect(statuses).toEqual({ other: 200 }));
    let waits = 0;
    for (; statuses.slowed === undefined; await new Promise(setImmediate)) {
      if (clock.sleeping > 0) waits += 1;
      await clock.advance(1_000);
    }
    expect(statuses.slowed).toBe(200);
    expect(waits).toBeGreaterThanOrEqual(2);
  });

  test('waits for a live read before its first bytes, while another user does not wait', async () => {
    const { clock, traffic } = await slowedUser(OWNER, OTHER);
    const [readModels, topics] = [new MemoryReadModels(), new MemoryTopics(systemClock)];
    const liveReaders = { enter: async () => async () => {}, lastReads: async () => new Map(), count: () => 0, forget: async () => {} };
    const news = new ManualNews(systemClock);
    const routes = liveRoutes({ readModels, topics, news, liveReaders, clock: systemClock, maxWait: 300 });
    const call = await served(routes, readModels, systemClock, { traffic });
    const read: Record<string, number> = {};
    const done: string[] = [];
    const readLive = async (as: 'owner' | 'other', creatorId: string): Promise<void> => {
      const streamId = randomUUID();
      const topic = topicOf(streamId, 'echo');
      await topics.create(topic);
      await topics.append(topic, [[LARGE.subarray(0, 300_000)]]);
      await topics.seal(topic, { streamId });
      new ProjectedStream(readModels, {
        streamId,
        creatorId,
        groupId: streamId,
        processors: [{ id: 'echo', schema: 'bytes' }],
      }).completeAll();
      const answer = await call(`/egress-service/api/v1/egress/live?streams=${streamId}`, as);
      expect(answer.status).toBe(200);
      read[as] = 0;
      for await (const piece of answer.body ?? []) read[as] += piece.length;
      done.push(as);
    };
    const [slowed, other] = [readLive('owner', OWNER), readLive('other', OTHER)];
    await other;
    await eventually(() => expect(clock.sleeping).toBe(1));
    expect(read.owner).toBe(0);
    expect(done).toEqual(['other']);
    await clock.advance(5_000);
    await slowed;
    expect(read.owner).toBe(read.other);
  });
});
