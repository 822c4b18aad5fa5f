import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { SEAL_KEYS, type SigningKey, SigningKeys } from './signingKeys.ts';
import { Vault, VaultLocked } from './vault.ts';

const KEY_BYTES = 32;
/** No node uses a key longer than a second after another node destroyed it: each caches it for less, counted from before it was read. */
const CACHE_MILLISECONDS = 900;
const GONE_MILLISECONDS = 1_000;
const CACHED_KEYS = 10_000;

export interface KeysDeps {
  readonly vault: Documents;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  readonly clock: Clock;
  /** Other processes use the vault too. */
  readonly shared?: boolean;
}

/** Opens the vault. Rejects with a sentence if it belongs to another master key. */
export const openKeys = async ({ vault, masterKey, clock, shared = false }: KeysDeps): Promise<Keys> => {
  const opened = new Vault(vault, masterKey);
  await opened.ensure();
  try {
    const upgrading = await opened.unlock();
    return new Keys(opened, { masterKey, clock, shared, upgrading });
  } catch (cause) {
    if (!(cause instanceof VaultLocked)) throw cause;
    throw new Error('the vault was made with another master key. Put the right MASTER_KEY or master.key back', { cause });
  }
};

/**
 * Secrets, which must be kept outside the log because they are secret or must be destroyable: token signing keys, seal keys, one key per
 * subject, and one for each event stream whose words are destroyed before their subject. All are stored in the vault, encrypted by AES-256-GCM with the master key.
 */
export class Keys {
  readonly #vault: Vault;
  readonly #masterKey: Buffer;
  readonly #clock: Clock;
  readonly #shared: boolean;
  #upgrading: boolean;
  readonly #signing: Readonly<Record<'token' | 'seal', SigningKeys>>;
  /** Keys of subjects and event streams, by the ids of their entries. */
  readonly #destroyable: LRUCache<string, Buffer>;
  /** By purpose. Deriving takes 0.2 ms. */
  readonly #derived = new LRUCache<string, Buffer>({ max: CACHED_KEYS });
  /** Counts destroyed keys: a key that was read before one was destroyed is not cached after it. */
  #destroyed = 0;

  constructor(vault: Vault, { masterKey, clock, shared, upgrading }: Required<Omit<KeysDeps, 'vault'>> & { upgrading: boolean }) {
    this.#vault = vault;
    this.#upgrading = upgrading;
    this.#clock = clock;
    this.#shared = shared;
    this.#masterKey = masterKey;
    this.#signing = {
      token: new SigningKeys(vault, clock, { purpose: 'token', makes: true }),
      seal: new SigningKeys(vault, clock, { purpose: 'seal', makes: false }),
    };
    this.#destroyable = new LRUCache({
      max: CACHED_KEYS,
      ttl: CACHE_MILLISECONDS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() },
    });
  }

  /**
   * The newest key for a purpose. The first token key is made on the first request; two nodes that make one at once get the same. Rejects
   * without a seal key: see `makeSealKey`.
   */
  signingKey(purpose: 'token' | 'seal'): Promise<SigningKey> {
    return this.#signing[purpose].newest();
  }

  /** Every key of the purpose that is still accepted, newest first, including one with `kid` that another node has just made. */
  acceptedKeys(purpose: 'token' | 'seal', kid?: string): Promise<readonly SigningKey[]> {
    return this.#signing[purpose].accepted(kid);
  }

  /** Makes a new signing key; the previous one is accepted for `overlapMilliseconds` more. */
  async rotateSigningKey(purpose: 'token' | 'seal', overlapMilliseconds: number): Promise<SigningKey> {
    const key = await this.#signing[purpose].rotate(overlapMilliseconds);
    if (purpose === 'seal') await this.noteSealKeys();
    return key;
  }

  /** Makes the first seal key if there is none. Only for an empty log: existing events never get a new seal key. */
  makeSealKey(): Promise<void> {
    return this.#signing.seal.makeFirst();
  }

  /** Records which seal keys exist, so that a missing one is detected. */
  async noteSealKeys(): Promise<void> {
    await this.setNote(SEAL_KEYS, { kids: (await this.acceptedKeys('seal')).map(({ kid }) => kid) });
  }

  /** The vault is of an earlier version, and its upgrade is not complete. */
  get upgrading(): boolean {
    return this.#upgrading;
  }

  async finishUpgrade(): Promise<void> {
    await this.#vault.finishUpgrade();
    this.#upgrading = false;
  }

  /** 32 bytes, durable before they are first returned. `null` if the subject has been erased. */
  subjectKey(subject: string, { create }: { create: boolean }): Promise<Buffer | null> {
    return this.#key(subjectId(subject), create);
  }

  /** Erases a subject. `true` if it had a key. When it resolves, `subjectKey` is `null` for ever on every node, whatever `create` is. */
  destroySubjectKey(subject: string): Promise<boolean> {
    return this.#destroy(subjectId(subject));
  }

  /** The key of an event stream that has its own, like `subjectKey`. `null` if it has been destroyed. */
  eventStreamKey(eventStream: string, { create }: { create: boolean }): Promise<Buffer | null> {
    return this.#key(eventStreamId(eventStream), create);
  }

  /** Destroys the key of an event stream if it has one, like `destroySubjectKey`. */
  async destroyEventStreamKey(eventStream: string): Promise<void> {
    const id = eventStreamId(eventStream);
    // Few event streams have a key, so most deletions write nothing.
    if ((await this.#vault.read(id))?.is === 'secret') await this.#destroy(id);
  }

  /** Whether the subject's key has been destroyed. */
  async isErased(subject: string): Promise<boolean> {
    return (await this.#vault.read(subjectId(subject)))?.is === 'destroyed';
  }

  /** HKDF-SHA-256 of the master key: 32 bytes for a purpose, such as a webhook endpoint's id and generation. */
  derive(purpose: string): Buffer {
    const derived = this.#derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', this.#masterKey, '', purpose, KEY_BYTES));
    this.#derived.set(purpose, derived);
    return derived;
  }

  /** A small fact stored beside the keys, such as the newest seal. */
  async note(name: string): Promise<JsonObject | null> {
    const entry = await this.#vault.read(noteId(name));
    return entry?.is === 'secret' ? JSON.parse(entry.secret.toString()) : null;
  }

  async setNote(name: string, value: JsonObject): Promise<void> {
    const text = Buffer.from(JSON.stringify(value));
    if (await this.#vault.replace(noteId(name), text)) return;
    if (!(await this.#vault.create(noteId(name), text))) await this.#vault.replace(noteId(name), text);
  }

  async #key(id: string, create: boolean): Promise<Buffer | null> {
    const cached = this.#destroyable.get(id);
    if (cached) return cached;
    const stored = await this.#read(id);
    if (stored !== 'free') return stored;
    return create ? this.#make(id) : null;
  }

  async #destroy(id: string): Promise<boolean> {
    const destroyed = await this.#vault.destroy(id);
    this.#destroyed += 1;
    this.#destroyable.delete(id);
    // Waits until no other node can have the key cached, so that later work never meets it.
    if (this.#shared) await this.#clock.pause(GONE_MILLISECONDS);
    return destroyed;
  }

  /** Of simultaneous callers and nodes, one makes the key and all get the same. */
  async #make(id: string): Promise<Buffer | null> {
    await this.#vault.create(id, randomBytes(KEY_BYTES));
    const stored = await this.#read(id);
    // A destroyed key leaves a marker. Without either, the store has not shown yet what it has stored: nothing may be taken for destroyed.
    if (stored === 'free') throw new StoreUnavailable('The key of a subject cannot be read yet. Try again.');
    return stored;
  }

  /** `null` once destroyed. */
  async #read(id: string): Promise<Buffer | null | 'free'> {
    const destroyed = this.#destroyed;
    const start = this.#clock.monotonic();
    const stored = await this.#vault.read(id);
    if (!stored) return 'free';
    if (stored.is === 'destroyed') return null;
    const key = apart(stored.secret);
    if (destroyed === this.#destroyed) this.#destroyable.set(id, key, { start });
    return key;
  }
}

/** In a buffer of its own: a small buffer is part of Node's pool and would keep 8 KiB of it alive. */
const apart = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

const subjectId = (subject: string): string => `subject/${subject}`;
const eventStreamId = (eventStream: string): string => `eventStream/${eventStream}`;
const noteId = (name: string): string => `note/${name}`;
