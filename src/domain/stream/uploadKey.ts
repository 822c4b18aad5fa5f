import { Problem } from '../problem.ts';
import { uuidv5 } from '../uuidv5.ts';

/** What an owner's `Idempotency-Key` stands for. Event stream `uploadKey-<keyId>`: its first append is the lock on the key, whatever ids are given. */
export type UploadKeyEvent =
  /** `fingerprint`: hex SHA-256 of all parameters of the uploads that may come under the key, the key and a given id among them. */
  { type: 'UploadKeyTaken'; data: { fingerprint: string } };

export interface UploadKey {
  fingerprint: string;
}

/** Tells the keys of different owners apart; also the stream id of the first try without an id of its own (contract, section 6). */
export const uploadKeyId = (owner: string, key: string): string => uuidv5(owner, key);

export const uploadKeyEventStream = (keyId: string): string => `uploadKey-${keyId}`;

export const uploadKeyDecider = {
  initialState: (): UploadKey | null => null,
  evolve: (_: UploadKey | null, { data }: UploadKeyEvent): UploadKey => ({ fingerprint: data.fingerprint }),
};

/** Whether an event of the log is one of a key's. Its data were checked against the type's schema when it was appended. */
export const isUploadKeyEvent = <T extends { type: string }>(event: T): event is T & UploadKeyEvent => event.type === 'UploadKeyTaken';

/** Nothing for a key that stands for these very parameters. Throws 409 for one that was taken with others. */
export const takeUploadKey = (taken: UploadKey | null, fingerprint: string): readonly UploadKeyEvent[] => {
  if (!taken) return [{ type: 'UploadKeyTaken', data: { fingerprint } }];
  if (taken.fingerprint === fingerprint) return [];
  throw new Problem('GENERAL_CONFLICT_ERROR', 'This Idempotency-Key was used with other parameters.');
};
