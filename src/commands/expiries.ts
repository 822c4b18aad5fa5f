import type { Documents } from '../stores/documents.ts';

/** `kept`: the owner has asked for a time. */
export type RetentionClass = 'ephemeral' | 'persistent' | 'kept' | 'deleted';

/** An ended stream whose data are still there. */
export interface Expiry {
  readonly streamId: string;
  readonly retention: RetentionClass;
  /** From when its time is counted, milliseconds since the epoch: its end, or when its last live reader was seen. Of one that is kept, its time itself. */
  readonly since: number;
}

/**
 * What is still to expire: a document a stream, made of the log by the retention policy, and by a deletion before it begins, so that one that
 * was cut off is taken to its end. All may reject with `StoreUnavailable`.
 */
export interface Expiries {
  /** Nothing when the stream is noted already. */
  note(expiry: Expiry): Promise<void>;
  /** Counts from another time, or is to be deleted now. Noted when it was not. */
  renote(expiry: Expiry): Promise<void>;
  done(streamId: string): Promise<void>;
  /** The stream runs again, or has another time. A deletion that was asked for stays. */
  forget(streamId: string): Promise<void>;
  /** Those of the ids that are noted. */
  noted(streamIds: readonly string[]): Promise<Set<string>>;
  /** Earliest first. */
  earliest(retention: RetentionClass, limit: number): Promise<Expiry[]>;
}

const COLLECTION = 'expiries';

export const openExpiries = async (documents: Documents): Promise<Expiries> => {
  await documents.ensureCollection({ name: COLLECTION, indexes: [['retention', 'since']] });
  const bodyOf = ({ retention, since }: Expiry) => ({ retention, since });
  const note = async (expiry: Expiry): Promise<void> => {
    await documents.create(COLLECTION, expiry.streamId, bodyOf(expiry));
  };
  return {
    note,
    renote: async (expiry) => {
      if (!(await documents.replace(COLLECTION, expiry.streamId, bodyOf(expiry)))) await note(expiry);
    },
    done: async (streamId) => {
      await documents.remove(COLLECTION, streamId);
    },
    forget: async (streamId) => {
      for (const retention of ['ephemeral', 'persistent', 'kept']) await documents.remove(COLLECTION, streamId, { retention });
    },
    noted: async (streamIds) => new Set((await documents.getMany(COLLECTION, streamIds)).map(({ id }) => id)),
    earliest: async (retention, limit) => {
      const found = await documents.find(COLLECTION, {
        where: { retention },
        orderBy: [{ member: 'since', direction: 'asc' }],
        limit,
      });
      return found.map(({ id, body }) => ({ streamId: id, retention, since: Number(body.since) }));
    },
  };
};
