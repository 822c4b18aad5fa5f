import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { TopicRows } from '../../../src/stores/embedded/topicRows.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const BYTES = 65_536;

test('keeps the sources of waiting runs in memory, although finished runs have read theirs later', async () => {
  let read = 0;
  const get = () => {
    read += 1;
    return null;
  };
  const nothing = async () => {};
  const rows: TopicRows = { hasRoom: () => true, get, has: () => false, after: () => [], drop: nothing, purge: nothing };
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock, rows });
  const stored = (count: number): string[] =>
    Array.from({ length: count }, () => {
      const topic = randomUUID();
      topics.whole?.(topic, [Buffer.alloc(BYTES)], {})?.stored(true);
      return topic;
    });
  const [first, waiting] = [stored(200), stored(100)];
  for (const topic of first) {
    expect(await topics.manifest(topic)).not.toBeNull();
    for await (const { data } of topics.read(topic)) expect(data).toHaveLength(BYTES);
  }
  // More than all that is kept.
  stored(300);
  for (const topic of waiting) expect(await topics.manifest(topic)).not.toBeNull();
  expect(read).toBe(0);
  await topics.close();
});
