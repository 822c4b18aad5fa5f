import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '../json.ts';
import type { Documents } from './documents.ts';

const COLLECTION = 'vault';
const PAGE = 500;
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What one vault document holds: a secret, or that it was destroyed. `facts` may be read by anyone who reads the vault. */
export type VaultEntry = { readonly is: 'secret'; readonly secret: Buffer; readonly facts: VaultFacts } | { readonly is: 'destroyed' };
export type VaultFacts = Readonly<Record<string, string | number | null>>;

/**
 * Secrets as documents, each under AES-256-GCM with the master key. The document's id and its facts are authenticated with the secret, so that
 * neither can be changed, or exchanged for those of another entry, without the master key.
 */
export class Vault {
  readonly #documents: Documents;
  readonly #masterKey: Buffer;

  constructor(documents: Documents, masterKey: Buffer) {
    this.#documents = documents;
    this.#masterKey = masterKey;
  }

  ensure(): Promise<void> {
    return this.#documents.ensureCollection({ name: COLLECTION, indexes: [] });
  }

  async read(id: string): Promise<VaultEntry | null> {
    const stored = await this.#documents.get(COLLECTION, id);
    if (!stored) return null;
    const { sealed, facts } = stored.body;
    if (typeof sealed !== 'string') return { is: 'destroyed' };
    const known = factsOf(facts);
    return { is: 'secret', secret: this.#open(id, sealed, known), facts: known };
  }

  /** `false` when the id is taken, also by something destroyed. */
  create(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.create(COLLECTION, id, { sealed: this.#seal(id, secret, facts), facts });
  }

  replace(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.replace(COLLECTION, id, { sealed: this.#seal(id, secret, facts), facts });
  }

  /** `true` when there was a secret. The id is never free again. */
  async destroy(id: string): Promise<boolean> {
    if (await this.#documents.create(COLLECTION, id, { destroyed: true })) return false;
    const entry = await this.#documents.get(COLLECTION, id);
    await this.#documents.replace(COLLECTION, id, { destroyed: true });
    await this.#documents.purge();
    return entry?.body.destroyed !== true;
  }

  /** Whether an entry, as it is stored in some vault, was made under this master key. */
  opens(id: string, { sealed, facts }: JsonObject): boolean {
    try {
      return typeof sealed !== 'string' || this.#open(id, sealed, factsOf(facts)).length >= 0;
    } catch {
      return false;
    }
  }

  #seal(id: string, secret: Buffer, facts: VaultFacts): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#masterKey, iv).setAAD(authenticated(id, facts));
    return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  #open(id: string, sealed: string, facts: VaultFacts): Buffer {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      return this.#decrypt(bytes, authenticated(id, facts));
    } catch (cause) {
      // Entries of earlier versions authenticate their id alone. An entry of this version never opens that way.
      try {
        return this.#decrypt(bytes, Buffer.from(id));
      } catch {
        throw new VaultLocked(id, { cause });
      }
    }
  }

  #decrypt(bytes: Buffer, authenticatedData: Buffer): Buffer {
    const decipher = createDecipheriv(ALGORITHM, this.#masterKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(authenticatedData)
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  }
}

const isFact = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number';

/** The facts of a stored entry. What is no fact was not written by us, and fails to authenticate. */
const factsOf = (stored: Json | undefined): VaultFacts =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, isFact(value) ? value : JSON.stringify(value)]))
    : {};

const authenticated = (id: string, facts: VaultFacts): Buffer =>
  Buffer.from(JSON.stringify([id, ...Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1))]));

/** An entry does not open: another master key, or it was changed. */
export class VaultLocked extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`the vault's entry ${JSON.stringify(id)} does not open under this master key`, options);
    this.name = 'VaultLocked';
  }
}

/** Every entry as it is stored, by id: secrets stay encrypted under the master key. */
export async function* vaultEntries(documents: Documents): AsyncGenerator<{ id: string; body: JsonObject }, void, undefined> {
  for (let skip = 0; ; skip += PAGE) {
    const page = await documents.find(COLLECTION, { skip, limit: PAGE });
    for (const { id, body } of page) yield { id, body };
    if (page.length < PAGE) return;
  }
}

/** Puts an entry of another vault here, as it is stored. What is there already stays, unless it was destroyed there. */
export const putVaultEntry = async (documents: Documents, id: string, body: JsonObject): Promise<void> => {
  if (await documents.create(COLLECTION, id, body)) return;
  if (body.destroyed === true) await documents.replace(COLLECTION, id, body);
};
