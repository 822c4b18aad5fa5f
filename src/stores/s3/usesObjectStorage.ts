import type { Documents } from '../documents.ts';

/** Where the vault keeps the record of the deployment. */
export const COLLECTION = 'objectstorage';
export const RECORD = 'deployment';

/** Whether the vault belongs to a deployment that keeps topics in object storage: its bucket has been marked. Nothing is put there before. */
export const usesObjectStorage = async (vault: Documents): Promise<boolean> => {
  if ((await vault.listCollections(COLLECTION)).length === 0) return false;
  return (await vault.get(COLLECTION, RECORD))?.body.isMarked === true;
};

/** Holds the sweep of objects until an operator confirms, if the vault, which was restored, belongs to a deployment with object storage. */
export const holdObjectSweep = async (vault: Documents): Promise<void> => {
  if (!(await usesObjectStorage(vault))) return;
  const found = await vault.get(COLLECTION, RECORD);
  if (found) await vault.replace(COLLECTION, RECORD, { ...found.body, isHeld: true });
};
