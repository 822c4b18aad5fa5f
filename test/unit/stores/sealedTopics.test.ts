import { expect, test } from 'vitest';
import { SealedTopics } from '../../../src/stores/embedded/sealedTopics.ts';

const manifest = { frames: 1, bytes: 10, sha256: '', attributes: {} };

test('limits cached topics by the memory of their buffers, counting each once', () => {
  const topics = new SealedTopics();
  const slab = Buffer.alloc(1_048_576);
  const pieces = [slab.subarray(0, 10), slab.subarray(20, 30)].map((data, sequence) => ({ sequence, at: 0, data }));
  topics.add('one', { manifest, frames: pieces });
  expect(topics.bytes).toBeGreaterThanOrEqual(slab.length);
  expect(topics.bytes).toBeLessThan(1.1 * slab.length);
  for (let n = 0; n < 80; n += 1)
    topics.add(`other-${n}`, { manifest, frames: [{ sequence: 0, at: 0, data: Buffer.alloc(1_048_576).subarray(0, 10) }] });
  expect(topics.count).toBeLessThan(33);
});

test('keeps fewer while memory is scarce, the newest ones', () => {
  const memory = { scarcity: 0 };
  const topics = new SealedTopics(memory);
  const add = (name: string) => topics.add(name, { manifest, frames: [{ sequence: 0, at: 0, data: Buffer.alloc(100_000) }] });
  for (let n = 0; n < 300; n += 1) add(`ample-${n}`);
  expect(topics.count).toBe(300);
  memory.scarcity = 1;
  for (let n = 0; n < 10; n += 1) add(`scarce-${n}`);
  expect(topics.bytes).toBeLessThanOrEqual(4_194_304);
  expect(topics.find('scarce-0')).toBeDefined();
  expect(topics.find('ample-0')).toBeUndefined();
});
