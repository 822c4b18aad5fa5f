import type { Documents } from '../documents.ts';
import type { AddedBytes } from './addedBytes.ts';

const COLLECTION = 'diskShares';
const ID = 'added';

/**
 * Takes over what the process before has stored, and removes it, so that no document names a user while the server runs. The returned function stores it
 * for the next process. A crash forgets it: then each user has a share of what is left.
 */
export const keepOverRestart = async (
  added: Pick<AddedBytes, 'users' | 'add'>,
  documents: Pick<Documents, 'ensureCollection' | 'get' | 'create' | 'remove'>,
): Promise<() => Promise<void>> => {
  await documents.ensureCollection({ name: COLLECTION, indexes: [] });
  const stored = await documents.get(COLLECTION, ID);
  for (const [subject, bytes] of Object.entries(stored?.body ?? {})) if (typeof bytes === 'number') added.add(subject, bytes);
  if (stored) await documents.remove(COLLECTION, ID);
  return async () => {
    const users = [...added.users].filter(([, bytes]) => bytes > 0);
    // The disk may be full.
    if (users.length > 0) await documents.create(COLLECTION, ID, Object.fromEntries(users)).catch(() => undefined);
  };
};
