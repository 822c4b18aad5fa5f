import * as s from '../../schema.ts';
import { type EventOf, event, guardOf } from '../eventForms.ts';
import { conflict } from '../problem.ts';
import { uuidv5 } from '../uuidv5.ts';

/** Meaning of an owner's `Idempotency-Key`. Event stream `uploadKey-<keyId>`: its first append is the lock on the key. */
export const UPLOAD_KEY_EVENTS = {
  /** `fingerprint`: hex SHA-256 of all parameters of the upload, with the key and a given stream id. */
  UploadKeyTaken: event(s.object({ fingerprint: s.sha256 })),
};

export type UploadKeyEvent = EventOf<typeof UPLOAD_KEY_EVENTS>;
export const isUploadKeyEvent = guardOf(UPLOAD_KEY_EVENTS);

export interface UploadKey {
  fingerprint: string;
}

/** Differs between owners that use the same key. Also the stream id of the first upload under the key, if the caller chose none. */
export const uploadKeyId = (owner: string, key: string): string => uuidv5(owner, key);

export const uploadKeyEventStream = (keyId: string): string => `uploadKey-${keyId}`;

export const uploadKeyDecider = {
  initialState: (): UploadKey | null => null,
  evolve: (_: UploadKey | null, { data }: UploadKeyEvent): UploadKey => ({ fingerprint: data.fingerprint }),
};

/** Nothing for a key with the same parameters. Throws 409 for a key used with others. */
export const takeUploadKey = (taken: UploadKey | null, fingerprint: string): readonly UploadKeyEvent[] => {
  if (!taken) return [{ type: 'UploadKeyTaken', data: { fingerprint } }];
  if (taken.fingerprint === fingerprint) return [];
  throw conflict('This Idempotency-Key was used with other parameters. Use a new key.');
};
