import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { readAtPaceOf } from '../../../src/http/heldFrames.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import type { Frame, Topics } from '../../../src/stores/topics.ts';
import { forEachItem } from '../../../src/supervision/items.ts';
import { eventually } from '../../eventually.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { collectGarbage } from '../collectGarbage.ts';

const [FRAMES, FRAME_BYTES] = [3, 200_000];

/** An open topic with three frames. */
const openTopic = async (): Promise<{ topics: Topics; topic: string }> => {
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock });
  onTestFinished(() => topics.close());
  const topic = randomUUID();
  await topics.create(topic);
  for (let n = 0; n < FRAMES; n += 1) await topics.append(topic, [Buffer.alloc(FRAME_BYTES, n)]);
  return { topics, topic };
};

it('a reader that follows an open topic holds no frame while it waits for the next one', async () => {
  const { topics, topic } = await openTopic();
  const over = new AbortController();
  onTestFinished(() => over.abort(new Error('the test is over')));
  const given: WeakRef<Uint8Array>[] = [];
  forEachItem(topics.read(topic, { follow: true, signal: over.signal }), ({ data }) => given.push(new WeakRef(data))).catch(
    () => undefined,
  );
  await eventually(() => given.length === FRAMES);
  await collectGarbage();
  expect(given.map((data) => data.deref())).toEqual([undefined, undefined, undefined]);
});

it('frames that are read at the pace of a user have their data until the next one is asked for', async () => {
  const { topics, topic } = await openTopic();
  const frames: Frame[] = [];
  const sizes: number[][] = [];
  for await (const frame of readAtPaceOf('a', topics).read(topic)) {
    frames.push(frame);
    sizes.push(frames.map(({ data }) => data.length));
  }
  expect(sizes).toEqual([[FRAME_BYTES], [0, FRAME_BYTES], [0, 0, FRAME_BYTES]]);
});
