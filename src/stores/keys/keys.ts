import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../json.ts';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: 'ES256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Name of the note that lists the seal keys. */
export const SEAL_KEYS = 'seal keys';

/**
 * Secrets, which must be kept outside the log because they are secret or must be destroyable: token signing keys, seal keys, and one key per
 * subject. All are stored in the vault, encrypted by AES-256-GCM with the master key.
 */
export interface Keys {
  /**
   * The newest key for a purpose. The first token key is made on the first request; two nodes that make one at once get the same. Rejects if there
   * is no seal key: see `makeSealKey`.
   */
  signingKey(purpose: 'token' | 'seal'): Promise<SigningKey>;
  /** Every key of the purpose that is still accepted, newest first, including one with `kid` that another node has just made. */
  acceptedKeys(purpose: 'token' | 'seal', kid?: string): Promise<readonly SigningKey[]>;
  /** Makes a new signing key; the previous one is accepted for `overlapMilliseconds` more. */
  rotateSigningKey(purpose: 'token' | 'seal', overlapMilliseconds: number): Promise<SigningKey>;
  /** 32 bytes, durable before they are first returned. `null` if the subject has been erased. */
  subjectKey(subject: string, options: { create: boolean }): Promise<Buffer | null>;
  /** Erases a subject. `true` if it had a key. When it resolves, `subjectKey` is `null` for ever on every node, whatever `create` is. */
  destroySubjectKey(subject: string): Promise<boolean>;
  /** Whether the subject's key has been destroyed. */
  isErased(subject: string): Promise<boolean>;
  /** HKDF-SHA-256 of the master key: 32 bytes for a purpose, such as a webhook endpoint's id and generation. */
  derive(purpose: string): Buffer;
  /** A small fact stored beside the keys, such as the newest seal. */
  note(name: string): Promise<JsonObject | null>;
  setNote(name: string, value: JsonObject): Promise<void>;
  /** Makes the first seal key if there is none. Only for an empty log: existing events never get a new seal key. */
  makeSealKey(): Promise<void>;
  /** Records which seal keys exist, so that a missing one is detected. */
  noteSealKeys(): Promise<void>;
  /** The vault is of an earlier version, and its upgrade is not complete. */
  readonly upgrading: boolean;
  finishUpgrade(): Promise<void>;
}
