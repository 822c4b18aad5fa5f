import { formerPeriod, type RetentionPeriods } from '../../domain/stream/retention.ts';
import type { Documents } from '../../stores/documents.ts';
import { type Expiry, OPEN_STREAMS, type RetentionClass } from './openStreams.ts';

/**
 * The ended streams that have yet to expire. Their documents have the stream's id, whatever its attempt. The policy of open streams builds them from the
 * log; a deletion writes one before it starts, so that an interrupted one is completed. All methods may reject with `StoreUnavailable`.
 */
export interface Expiries {
  /** Does nothing if the stream already has a document. */
  note(expiry: Expiry): Promise<void>;
  /** Changes the start of the time, or requests deletion now. Creates a missing document. */
  replace(expiry: Expiry): Promise<void>;
  /** Changes the document of a stream if its class is still `before`: a deletion that was requested meanwhile stays. */
  change(expiry: Expiry, before: RetentionClass): Promise<void>;
  /** For a stream that has expired. */
  remove(streamId: string): Promise<void>;
  /** For a stream that runs again or has another time. Keeps a requested deletion. */
  removeUnlessRequested(streamId: string): Promise<void>;
  /** Those of the ids that have a document. */
  noted(streamIds: readonly string[]): Promise<Set<string>>;
  /** Earliest first. */
  earliest(retention: RetentionClass, limit: number): Promise<Expiry[]>;
}

const { name: COLLECTION } = OPEN_STREAMS;

/** Time of streams that are kept until someone deletes them: the latest that a `Date` can have. With a note, the sweep need not read the log. */
export const NEVER = 8_640_000_000_000_000;
/** A deletion not carried out for this long was interrupted. */
const DELETION_MILLISECONDS = 5_000;

/** How long after `since` the streams of each class expire, in milliseconds. */
export const periodsOf = (periods: RetentionPeriods): Readonly<Record<RetentionClass, number>> => ({
  ephemeral: periods.ephemeral,
  persistent: formerPeriod(periods),
  kept: 0,
  deleted: DELETION_MILLISECONDS,
  unredacted: DELETION_MILLISECONDS,
});

export const openExpiries = (documents: Documents): Expiries => {
  const bodyOf = ({ streamId: _, retention, ...rest }: Expiry) => ({ state: retention, ...rest });
  const note = async (expiry: Expiry): Promise<void> => {
    await documents.create(COLLECTION, expiry.streamId, bodyOf(expiry));
  };
  return {
    note,
    replace: async (expiry) => {
      if (!(await documents.replace(COLLECTION, expiry.streamId, bodyOf(expiry)))) await note(expiry);
    },
    change: async (expiry, before) => {
      await documents.replace(COLLECTION, expiry.streamId, bodyOf(expiry), { state: before });
    },
    remove: async (streamId) => {
      await documents.remove(COLLECTION, streamId);
    },
    removeUnlessRequested: async (streamId) => {
      for (const state of ['unredacted', 'ephemeral', 'persistent', 'kept']) await documents.remove(COLLECTION, streamId, { state });
    },
    noted: async (streamIds) => {
      const found = await documents.getMany(COLLECTION, streamIds);
      return new Set(found.filter(({ body }) => body.state !== 'running').map(({ id }) => id));
    },
    earliest: async (retention, limit) => {
      const found = await documents.find(COLLECTION, {
        where: { state: retention },
        orderBy: [{ member: 'since', direction: 'asc' }],
        limit,
      });
      return found.map(({ id, body: { since, correlationId } }) => ({
        streamId: id,
        retention,
        since: Number(since),
        ...(typeof correlationId === 'string' && { correlationId }),
      }));
    },
  };
};
