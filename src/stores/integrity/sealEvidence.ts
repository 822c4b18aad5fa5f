import type { EventStore } from '../eventStore.ts';
import { type Keys, SEAL_KEYS } from '../keys/keys.ts';
import { VaultLocked } from '../keys/vault.ts';
import { NEWEST_SEAL, SEALS } from './seals.ts';

/**
 * What the vault must know so that a rewritten log cannot pass: which seal keys there are, and the newest seal, or that there is none yet. Both
 * are written before the first event and authenticated by the master key. Beside a log with events their absence means that somebody
 * removed them.
 */

export interface EvidenceDeps {
  readonly store: Pick<EventStore, 'head' | 'readStream'>;
  readonly keys: Pick<Keys, 'note' | 'setNote' | 'acceptedKeys' | 'makeSealKey' | 'noteSealKeys' | 'upgrading' | 'finishUpgrade'>;
}

/** Of a log that has no seal yet. */
export const NO_SEAL_YET = { none: true } as const;

/** Writes the evidence of a log without events, and of one whose vault an earlier version made. Repeatable; call it before the first event. */
export const prepareSealing = async (deps: EvidenceDeps): Promise<void> => {
  const { store, keys } = deps;
  if ((await keys.note(SEAL_KEYS)) === null && (keys.upgrading || (await store.head()) === null)) await begin(deps);
  if (keys.upgrading) await keys.finishUpgrade();
};

const begin = async ({ store, keys }: EvidenceDeps): Promise<void> => {
  const hasKey = (await keys.acceptedKeys('seal')).length > 0;
  const noted = await keys.note(NEWEST_SEAL);
  const [seal] = await store.readStream(SEALS, { direction: 'backwards', limit: 1 });
  // A log with seals whose key or note is gone stays as it is: verification reports it.
  if (seal && (!hasKey || noted === null)) return;
  if (!hasKey) await keys.makeSealKey();
  if (typeof noted?.revision !== 'string') await keys.setNote(NEWEST_SEAL, NO_SEAL_YET);
  await keys.noteSealKeys();
};

/** Why the vault can no longer vouch for the log; `null` while it can, and for a log without events. */
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
