import type { Documents } from '../stores/documents.ts';

/** `kept`: the owner asked for a later time. */
export type RetentionClass = 'ephemeral' | 'persistent' | 'kept' | 'deleted';

/** An ended stream whose data still exist. */
export interface Expiry {
  readonly streamId: string;
  readonly retention: RetentionClass;
  /**
   * Start of its retention time in Unix milliseconds: the stream's end, or when its last live reader was seen. For `kept`, the requested time
   * itself.
   */
  readonly since: number;
  /** Correlation id of the stream's first attempt, used for its expiry. Missing in documents of earlier versions: then it is read from the log. */
  readonly correlationId?: string;
}

/**
 * Streams that have yet to expire, one document each. The retention policy builds them from the log; a deletion writes one before it starts, so
 * that an interrupted one is completed. All methods may reject with `StoreUnavailable`.
 */
export interface Expiries {
  /** Does nothing if the stream already has a document. */
  note(expiry: Expiry): Promise<void>;
  /** Changes the start of the time, or requests deletion now. Creates a missing document. */
  replace(expiry: Expiry): Promise<void>;
  /** For a stream that has expired. */
  remove(streamId: string): Promise<void>;
  /** For a stream that runs again or has another time. Keeps a requested deletion. */
  removeUnlessRequested(streamId: string): Promise<void>;
  /** Those of the ids that have a document. */
  noted(streamIds: readonly string[]): Promise<Set<string>>;
  /** Earliest first. */
  earliest(retention: RetentionClass, limit: number): Promise<Expiry[]>;
  /** Calls `listener` with every expiry that this process stores, until the signal aborts. */
  listen(listener: (expiry: Expiry) => void, signal: AbortSignal): void;
}

const COLLECTION = 'expiries';

export const openExpiries = async (documents: Documents): Promise<Expiries> => {
  await documents.ensureCollection({ name: COLLECTION, indexes: [['retention', 'since']] });
  const bodyOf = ({ streamId: _, ...body }: Expiry) => body;
  const listeners = new Set<(expiry: Expiry) => void>();
  const tell = (expiry: Expiry): void => {
    for (const listener of listeners) listener(expiry);
  };
  const note = async (expiry: Expiry): Promise<void> => {
    if (await documents.create(COLLECTION, expiry.streamId, bodyOf(expiry))) tell(expiry);
  };
  return {
    note,
    replace: async (expiry) => {
      if (await documents.replace(COLLECTION, expiry.streamId, bodyOf(expiry))) tell(expiry);
      else await note(expiry);
    },
    remove: async (streamId) => {
      await documents.remove(COLLECTION, streamId);
    },
    removeUnlessRequested: async (streamId) => {
      for (const retention of ['ephemeral', 'persistent', 'kept']) await documents.remove(COLLECTION, streamId, { retention });
    },
    noted: async (streamIds) => new Set((await documents.getMany(COLLECTION, streamIds)).map(({ id }) => id)),
    earliest: async (retention, limit) => {
      const found = await documents.find(COLLECTION, {
        where: { retention },
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
    listen: (listener, signal) => {
      if (signal.aborted) return;
      listeners.add(listener);
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true });
    },
  };
};
