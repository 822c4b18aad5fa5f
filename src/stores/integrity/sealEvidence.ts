import type { EventStore } from '../eventStore.ts';
import type { Keys } from '../keys/openKeys.ts';
import { SEAL_KEYS } from '../keys/signingKeys.ts';
import { VaultLocked } from '../keys/vault.ts';
import { NEWEST_SEAL, SEALS } from './seals.ts';

/**
 * Facts in the vault that expose a rewritten log: which seal keys exist, and the newest seal or that there is none yet. Both are written before the
 * first event and authenticated by the master key. If they are missing beside a log with events, they were removed.
 */

export interface EvidenceDeps {
  readonly store: Pick<EventStore, 'head' | 'readStream'>;
  readonly keys: Pick<Keys, 'note' | 'setNote' | 'acceptedKeys' | 'makeSealKey' | 'noteSealKeys' | 'upgrading' | 'finishUpgrade'>;
}

/** For a log without a seal. */
export const NO_SEAL_YET = { none: true } as const;

/** Writes the evidence of an empty log, or of one whose vault an earlier version made. Repeatable; call it before the first event. */
export const prepareSealing = async (deps: EvidenceDeps): Promise<void> => {
  const { store, keys } = deps;
  if ((await keys.note(SEAL_KEYS)) === null && (keys.upgrading || (await store.head()) === null)) await begin(deps);
  if (keys.upgrading) await keys.finishUpgrade();
};

const begin = async ({ store, keys }: EvidenceDeps): Promise<void> => {
  const hasKey = (await keys.acceptedKeys('seal')).length > 0;
  const noted = await keys.note(NEWEST_SEAL);
  const [seal] = await store.readStream(SEALS, { direction: 'backwards', limit: 1 });
  // If the key or the note of a sealed log is missing, nothing is written: verification reports it.
  if (seal && (!hasKey || noted === null)) return;
  if (!hasKey) await keys.makeSealKey();
  if (typeof noted?.revision !== 'string') await keys.setNote(NEWEST_SEAL, NO_SEAL_YET);
  await keys.noteSealKeys();
};

/** Why the vault no longer proves the log; `null` if it does, and for an empty log. */
export const sealFault = async ({
  store,
  keys,
}: {
  readonly store: Pick<EventStore, 'head'>;
  readonly keys: Pick<Keys, 'note' | 'acceptedKeys'>;
}): Promise<string | null> => {
  if ((await store.head()) === null) return null;
  try {
    const set = await keys.note(SEAL_KEYS);
    if (!Array.isArray(set?.kids)) return 'the vault has lost its list of seal keys';
    const known = new Set((await keys.acceptedKeys('seal')).map(({ kid }) => kid));
    const missing = set.kids.find((kid) => typeof kid !== 'string' || !known.has(kid));
    if (missing !== undefined) return `the vault has lost the seal key ${String(missing)}`;
    const noted = await keys.note(NEWEST_SEAL);
    const whole = typeof noted?.revision === 'string' || noted?.none === true;
    return whole ? null : 'the vault has lost its note of the newest seal';
  } catch (error) {
    if (error instanceof VaultLocked) return 'an entry of the vault was changed';
    throw error;
  }
};
