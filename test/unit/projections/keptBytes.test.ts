import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { AnyProjection } from '../../../src/projections/engine/fold.ts';
import { KeptBytes } from '../../../src/projections/keptBytes.ts';
import type { ReadModels } from '../../../src/projections/readModels.ts';
import { usageProjection } from '../../../src/projections/usage.ts';
import { completed, failed, link, OTHER, OWNER, QUANTITIES, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { openNode, openPlatform } from './node.ts';

/** Bytes of `uploaded`, and of what `completed` has written. */
const [UPLOAD, OUTPUT] = [5, QUANTITIES.egressSize ?? 0];
const EXPIRED: StreamEvent = { type: 'StreamExpired', data: { reason: 'Deleted by user' } };

/** The read model of usage over a real log, and what its users may still add below a limit. */
const opened = async () => {
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, subject: OWNER });
  // The engine sees documents of any type.
  const { engine, readModels } = await openNode(platform, [usageProjection as unknown as AnyProjection]);
  const told = async (streamId: string, ...events: StreamEvent[]) => {
    for (const { type, data } of events) {
      const position = await platform.append(`stream-${streamId}`, type, JSON.parse(JSON.stringify(data)));
      expect(await readModels.waitFor(['usage'], position, 5_000)).toBe(true);
    }
  };
  const begin = async (...events: StreamEvent[]): Promise<string> => {
    const streamId = randomUUID();
    await told(streamId, streamCreated([link('echo', null)], { streamId }), ...events);
    return streamId;
  };
  const kept = (subject = OWNER) => readModels.sum(usageProjection, 'keptBytes', { creatorId: subject, expired: false });
  return { engine, readModels, told, begin, kept };
};

test('counts the uploads and outputs of a user, and no broken uploads and failed runs', async () => {
  const { begin, kept } = await opened();
  await begin(uploaded, started('echo'), completed('echo'));
  await begin(uploaded, started('echo'), failed('echo'));
  await begin({ type: 'UploadFailed', data: { reason: 'left' } });
  expect(OUTPUT).toBeGreaterThan(0);
  expect([await kept(), await kept(OTHER)]).toEqual([2 * UPLOAD + OUTPUT, 0]);
});

test('gives the bytes back when a stream has expired or was deleted, and counts the same after a rebuild', async () => {
  const { begin, told, kept, engine } = await opened();
  const streamId = await begin(uploaded, started('echo'), completed('echo'));
  await begin(uploaded);
  await told(streamId, EXPIRED);
  expect(await kept()).toBe(UPLOAD);
  await engine.rebuild('usage');
  expect(await kept()).toBe(UPLOAD);
});

test('refuses with 429 what would exceed the limit, until streams are deleted', async () => {
  const { begin, told, readModels } = await opened();
  const clock = new ManualClock();
  const bytes = new KeptBytes({ readModels, clock, unfinished: async () => 0, limit: 2 * UPLOAD });
  const streams = [await begin(uploaded), await begin(uploaded)];
  await expect(bytes.check(OWNER)).rejects.toMatchObject({
    statusCode: 429,
    internalErrorName: 'STREAM_USAGE_LIMIT_REACHED',
    headers: { 'Retry-After': '3600' },
  });
  await bytes.check(OTHER, 2 * UPLOAD);
  await expect(bytes.check(OTHER, 2 * UPLOAD + 1)).rejects.toMatchObject({ statusCode: 429 });
  await told(streams[0] ?? '', EXPIRED);
  await clock.advance(5_000);
  await bytes.check(OWNER, UPLOAD);
  await expect(bytes.check(OWNER, UPLOAD + 1)).rejects.toMatchObject({ statusCode: 429 });
});

test('reads the sum of a user once in five seconds, and refuses no one while it cannot be read', async () => {
  const clock = new ManualClock();
  let sums = 0;
  const sum: ReadModels['sum'] = async () => {
    sums += 1;
    if (sums === 2) throw new Error('away');
    return 10;
  };
  const bytes = new KeptBytes({ readModels: { sum }, clock, unfinished: async () => 0, limit: 10 });
  await expect(bytes.check('a')).rejects.toMatchObject({ statusCode: 429 });
  await expect(bytes.check('a')).rejects.toMatchObject({ statusCode: 429 });
  expect(sums).toBe(1);
  await clock.advance(5_000);
  await bytes.check('a');
  await new KeptBytes({ readModels: { sum }, clock, unfinished: async () => 0, limit: 0 }).check('a', 1_000);
  expect(sums).toBe(2);
});
