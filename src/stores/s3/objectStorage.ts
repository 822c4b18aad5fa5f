import { type Clock, DAY_MILLISECONDS } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { StoreUnavailable } from '../eventStore.ts';
import type { Stores } from '../stores.ts';
import { ObjectBucket } from './bucket.ts';
import { BucketRefused } from './bucketErrors.ts';
import { Deployment } from './deployment.ts';
import type { BucketLocation } from './location.ts';
import { sweepObjects } from './sweep.ts';
import { ObjectTopics } from './topics.ts';

export { BucketRefused };

/**
 * The same stores, with large topics in object storage. Rejects with `BucketRefused` if that cannot work with these settings; waits for nothing: while
 * object storage is away, only what needs it is unavailable.
 */
export const inObjectStorage = async (
  stores: Stores,
  location: BucketLocation,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<Stores> => {
  const bucket = new ObjectBucket(location);
  const deployment = new Deployment({ bucket, vault: stores.vault, store: stores.store, clock, logger });
  try {
    await deployment.check();
  } catch (error) {
    if (error instanceof BucketRefused || !(error instanceof StoreUnavailable)) {
      bucket.close();
      throw error;
    }
    logger.warn({ error: error.message }, 'object storage is away; large topics are unavailable until it is back');
  }
  const topics = new ObjectTopics({ local: stores.topics, bucket, deployment });
  let swept = Number.NEGATIVE_INFINITY;
  const tidy = async (signal: AbortSignal): Promise<void> => {
    await deployment.check();
    await topics.moveLeftovers(signal);
    await deployment.note();
    if (clock.monotonic() - swept < DAY_MILLISECONDS) return;
    const deleted = (await deployment.isHeld()) ? 0 : await sweepObjects({ bucket, topics, clock }, signal);
    if (deleted > 0) logger.info({ objects: deleted }, 'objects without an owner deleted');
    swept = clock.monotonic();
  };
  const close = async (): Promise<void> => {
    // First, so that what waits for object storage ends.
    bucket.close();
    await topics.settled();
    await stores.close();
  };
  return { ...stores, topics, objectStorage: { tidy, confirmRestored: () => deployment.confirm() }, close };
};
