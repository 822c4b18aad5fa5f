import type { Documents } from '../../stores/documents.ts';

/** The users with waiting bulk reruns, one document each, built from the log by the reruns policy. All methods may reject with `StoreUnavailable`. */
export interface RerunQueues {
  note(subject: string): Promise<void>;
  done(subject: string): Promise<void>;
  /** By subject. */
  list(page: { readonly skip: number; readonly limit: number }): Promise<string[]>;
}

const COLLECTION = 'rerunQueues';

export const rerunQueues = (documents: Documents): RerunQueues => {
  let ready: Promise<void> | null = null;
  const prepared = (): Promise<void> => {
    ready ??= documents.ensureCollection({ name: COLLECTION, indexes: [] }).catch((error: unknown) => {
      ready = null;
      throw error;
    });
    return ready;
  };
  return {
    async note(subject) {
      await prepared();
      await documents.create(COLLECTION, subject, {});
    },
    async done(subject) {
      await prepared();
      await documents.remove(COLLECTION, subject);
    },
    async list(page) {
      await prepared();
      return (await documents.find(COLLECTION, page)).map(({ id }) => id);
    },
  };
};
