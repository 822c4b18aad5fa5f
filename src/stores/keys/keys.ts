import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../json.ts';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: 'ES256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Name of the note of the seal keys that there are. */
export const SEAL_KEYS = 'seal keys';

/**
 * What lies outside the log because it must be secret or must be destroyable: token signing keys, seal keys, one key a subject. All
 * are stored in the vault under AES-256-GCM with the master key.
 */
export interface Keys {
  /**
   * The newest key for a purpose. The first token key is made when it is asked for; two nodes that make one at once end with the same. Rejects
   * when there is no seal key: see `makeSealKey`.
   */
  signingKey(purpose: 'token' | 'seal'): Promise<SigningKey>;
  /** Every key of the purpose that is still to be accepted, newest first; also one with `kid` that another node has made just now. */
  acceptedKeys(purpose: 'token' | 'seal', kid?: string): Promise<readonly SigningKey[]>;
  /** A new key signs from now on; the one before is accepted for `overlapMilliseconds` more. */
  rotateSigningKey(purpose: 'token' | 'seal', overlapMilliseconds: number): Promise<SigningKey>;
  /** 32 bytes; made durable before it is first returned. `null` when the subject has been erased. */
  subjectKey(subject: string, options: { create: boolean }): Promise<Buffer | null>;
  /** Erasure. `true` when there was one. When it resolves, `subjectKey` is `null` on every node, for ever, `create` or not. */
  destroySubjectKey(subject: string): Promise<boolean>;
  /** Whether there was a key that has been destroyed. */
  isErased(subject: string): Promise<boolean>;
  /** HKDF-SHA-256 of the master key: 32 bytes for a purpose, such as a webhook endpoint's id and generation. */
  derive(purpose: string): Buffer;
  /** A small fact kept beside the keys, such as the newest seal. */
  note(name: string): Promise<JsonObject | null>;
  setNote(name: string, value: JsonObject): Promise<void>;
  /** Makes the first seal key unless there is one. Only for a log without events: a seal key is never made for events that exist. */
  makeSealKey(): Promise<void>;
  /** Notes which seal keys there are, so that a missing one is found. */
  noteSealKeys(): Promise<void>;
  /** The vault is of an earlier version, and its upgrade has not finished. */
  readonly upgrading: boolean;
  finishUpgrade(): Promise<void>;
}
