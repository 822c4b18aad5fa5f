import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { S3_BUILD_TIMEOUT, S3_CREDENTIALS, s3IsHere, startS3 } from '../fakes/s3/start.ts';
import { PING_TEMPLATE, streamEnd } from './client.ts';
import { ADMIN_KEY, startServer } from './server.ts';
import { chunk, creation, standing } from './tus.ts';

/** `KILLS=50` for longer. */
const KILLS = Number(process.env.KILLS ?? 3);
const hasS3 = await s3IsHere();
const BYTES = 1_000_000;
const LONGEST_MILLISECONDS = 600;

vi.setConfig({ testTimeout: (KILLS + 2) * 60_000 });

interface Sending {
  readonly bytes: Buffer;
  readonly location: string;
  readonly streamId: string;
  /** The last `Upload-Offset` that the server has answered. */
  acknowledged: number;
}

const begin = async (url: string): Promise<Sending | null> => {
  const bytes = randomBytes(BYTES);
  const query = `streamConfigurationTemplateId=${PING_TEMPLATE}&persist=true`;
  const created = await creation(url, BYTES, { query }).catch(() => null);
  const [location, streamId] = [created?.headers.get('location'), created?.headers.get('tributary-stream-id')];
  return location && streamId ? { bytes, location, streamId, acknowledged: 0 } : null;
};

/** Sends what is missing in chunks of many sizes, until the server is gone. Resolves with whether all of it is acknowledged. */
const proceed = async (url: string, one: Sending): Promise<boolean> => {
  const asked = await standing(url, one.location).catch(() => null);
  if (!asked) return false;
  const offset = Number(asked.headers.get('upload-offset'));
  expect([asked.status, offset >= one.acknowledged]).toEqual([200, true]);
  one.acknowledged = offset;
  while (one.acknowledged < BYTES) {
    const next = one.bytes.subarray(one.acknowledged, one.acknowledged + 1 + Math.floor(Math.random() * 60_000));
    const answer = await chunk(url, one.location, one.acknowledged, next).catch(() => null);
    if (!answer) return false;
    expect(answer.status).toBe(204);
    one.acknowledged = Number(answer.headers.get('upload-offset'));
  }
  return true;
};

test('a server that is killed repeatedly loses no acknowledged byte of resumable uploads', () => killedRepeatedly(KILLS, {}));

test.skipIf(!hasS3)(
  'nor does one that keeps them in object storage',
  async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.stop());
    await killedRepeatedly(KILLS, { ...S3_CREDENTIALS, TOPICS_URL: s3.topicsUrl() });
  },
  S3_BUILD_TIMEOUT + (KILLS + 2) * 60_000,
);

const killedRepeatedly = async (times: number, environment: Readonly<Record<string, string>>): Promise<void> => {
  let { url, dataDir, kill } = await startServer({ environment });
  const uploads: Sending[] = [];
  const whole = new Set<Sending>();
  const work = async (over: { yet: boolean }): Promise<void> => {
    while (!over.yet) {
      const one = uploads.find((upload) => !whole.has(upload)) ?? (await begin(url));
      if (!one) return;
      if (!uploads.includes(one)) uploads.push(one);
      if (!(await proceed(url, one))) return;
      whole.add(one);
    }
  };
  for (let kills = 0; kills < times; kills += 1) {
    const over = { yet: false };
    const working = work(over);
    await wait(Math.random() * LONGEST_MILLISECONDS);
    over.yet = true;
    await kill();
    await working;
    ({ url, dataDir, kill } = await startServer({ dataDir, environment }));
  }
  for (const one of uploads) {
    expect(await proceed(url, one)).toBe(true);
    expect((await streamEnd(url, one.streamId)).state).toBe('COMPLETED');
    const path = `${url}/stream-service/api/v1/streams/${one.streamId}/data-source`;
    const source = await fetch(path, { headers: { authorization: `Basic ${ADMIN_KEY}` } });
    expect(Buffer.from(await source.arrayBuffer()).equals(one.bytes)).toBe(true);
  }
  expect(uploads.length).toBeGreaterThan(0);
};
