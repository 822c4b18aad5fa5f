import { type Clock, DAY_MILLISECONDS } from '../../clock.ts';
import type { ObjectBucket } from './bucket.ts';
import { OBJECTS, topicOfKey } from './pointer.ts';
import type { ObjectTopics } from './topics.ts';

interface SweepDeps {
  readonly bucket: Pick<ObjectBucket, 'list' | 'remove' | 'removeUnfinished'>;
  readonly topics: Pick<ObjectTopics, 'isOwned'>;
  readonly clock: Pick<Clock, 'now'>;
}

const OLD_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** Deletes objects, whole or unfinished, that are older than seven days and belong to no topic: interrupted moves leave them. Resolves with their number. */
export const sweepObjects = async ({ bucket, topics, clock }: SweepDeps, signal: AbortSignal): Promise<number> => {
  const before = clock.now() - OLD_MILLISECONDS;
  let deleted = 0;
  for await (const { key, modified } of bucket.list(OBJECTS)) {
    signal.throwIfAborted();
    const topic = topicOfKey(key);
    if (topic === null || modified >= before || (await topics.isOwned(topic, key))) continue;
    await bucket.remove(key);
    deleted += 1;
  }
  return deleted + (await bucket.removeUnfinished(OBJECTS, before));
};
