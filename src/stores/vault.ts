import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JsonObject } from '../json.ts';
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
 * Secrets as documents, each under AES-256-GCM with the master key. The document's id is authenticated with it, so that nothing in the
 * vault can be exchanged for something else there.
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
    return { is: 'secret', secret: this.#open(id, sealed), facts: facts as VaultFacts };
  }

  /** `false` when the id is taken, also by something destroyed. */
  create(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.create(COLLECTION, id, { sealed: this.#seal(id, secret), facts });
  }

  replace(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.replace(COLLECTION, id, { sealed: this.#seal(id, secret), facts });
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
  opens(id: string, { sealed }: JsonObject): boolean {
    try {
      return typeof sealed !== 'string' || this.#open(id, sealed).length >= 0;
    } catch {
      return false;
    }
  }

  #seal(id: string, secret: Buffer): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#masterKey, iv).setAAD(Buffer.from(id));
    return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  #open(id: string, sealed: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#masterKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(id))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new VaultLocked(id, { cause });
    }
  }
}

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
