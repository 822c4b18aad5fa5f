import { expect, test } from 'vitest';
import { sealedTopics } from '../../../src/stores/embedded/sealedTopics.ts';

const manifest = { frames: 1, bytes: 10, sha256: '', attributes: {} };

test('limits cached topics by the memory of their buffers, counting each once', () => {
  const topics = sealedTopics();
  const slab = Buffer.alloc(1_048_576);
  const pieces = [slab.subarray(0, 10), slab.subarray(20, 30)].map((data, sequence) => ({ sequence, at: 0, data }));
  topics.set('one', { manifest, frames: pieces });
  expect(topics.calculatedSize).toBeGreaterThanOrEqual(slab.length);
  expect(topics.calculatedSize).toBeLessThan(1.1 * slab.length);
  for (let n = 0; n < 80; n += 1)
    topics.set(`other-${n}`, { manifest, frames: [{ sequence: 0, at: 0, data: Buffer.alloc(1_048_576).subarray(0, 10) }] });
  expect(topics.size).toBeLessThan(33);
});
