import { randomUUID } from 'node:crypto';
import type { SharedNodes } from '../../src/stores/leases/nodes.ts';

/** A node that lives, for topics of which no node dies. */
export const oneNode = (): Pick<SharedNodes, 'id' | 'own' | 'removed'> => {
  const id = randomUUID();
  return { id, own: async () => id, removed: async () => () => false };
};
