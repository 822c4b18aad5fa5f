import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { canonicalJson } from '../canonicalJson.ts';
import type { Documents } from '../documents.ts';
import { documentPages } from '../pages.ts';

const COLLECTION = 'vault';
const PAGE = 500;
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Content of a vault document: a secret, or the marker of a destroyed one. `facts` are readable without the master key. */
export type VaultEntry = { readonly is: 'secret'; readonly secret: Buffer; readonly facts: VaultFacts } | { readonly is: 'destroyed' };
export type VaultFacts = Readonly<Record<string, string | number | null>>;

/** Version of an entry whose id and facts are authenticated. Entries of the first form have no number and authenticate only their id. */
const FORM = 2;
const CHECK = 'check';
const CHECK_TEXT = Buffer.from('tributary');
/** Version of the check in a vault whose markers are authenticated: from then on a marker without its tag is refused. */
const MARKED: VaultFacts = { markers: 1 };

/**
 * Secrets as documents, each encrypted by AES-256-GCM with the master key. Everything stored beside a secret (id, form, facts) is authenticated
 * with it, so entries cannot be exchanged or changed.
 */
export class Vault {
  readonly #documents: Documents;
  readonly #masterKey: Buffer;
  readonly #markerKey: Buffer;
  /** Entries of the first form are refused: an attacker who kept some could restore them. */
  #strict = false;

  constructor(documents: Documents, masterKey: Buffer) {
    this.#documents = documents;
    this.#masterKey = masterKey;
    this.#markerKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'vault markers', 32));
  }

  ensure(): Promise<void> {
    return this.#documents.ensureCollection({ name: COLLECTION, indexes: [] });
  }

  /**
   * Checks that the master key is the vault's, rewrites entries of the first form, and authenticates markers of earlier versions. `true` if there
   * were entries of the first form: call `finishUpgrade` when everything else is upgraded. Rejects with `VaultLocked`.
   */
  async unlock(): Promise<boolean> {
    await this.create(CHECK, CHECK_TEXT, MARKED);
    const check = await this.#documents.get(COLLECTION, CHECK);
    await this.read(CHECK);
    const upgrading = check !== null && check.body.form !== FORM;
    const isMarked = factsOf(check?.body.facts).markers === MARKED.markers;
    if (upgrading || !isMarked) await this.#renewAll();
    if (!upgrading && !isMarked) await this.finishUpgrade();
    this.#strict = true;
    return upgrading;
  }

  /** Until then, every start repeats the upgrade. */
  async finishUpgrade(): Promise<void> {
    await this.replace(CHECK, CHECK_TEXT, MARKED);
  }

  async #renewAll(): Promise<void> {
    for await (const { id, body } of vaultEntries(this.#documents)) {
      const renewed = id === CHECK ? body : this.renewed(id, body);
      if (renewed !== body) await this.#documents.replace(COLLECTION, id, renewed);
    }
  }

  /** An entry of any form as this vault stores it. Throws `VaultLocked`. */
  renewed(id: string, body: JsonObject): JsonObject {
    const { sealed, facts, form, destroyed, tag } = body;
    if (destroyed === true && tag === undefined) return this.#marker(id);
    if (typeof sealed !== 'string' || form === FORM) return body;
    return this.#stored(id, this.#open(Buffer.from(id), id, sealed), factsOf(facts));
  }

  async read(id: string): Promise<VaultEntry | null> {
    const stored = await this.#documents.get(COLLECTION, id);
    if (!stored) return null;
    const { sealed, form } = stored.body;
    if (typeof sealed !== 'string') {
      if (this.#strict && !this.#isMarker(id, stored.body)) throw new VaultLocked(id);
      return { is: 'destroyed' };
    }
    const facts = factsOf(stored.body.facts);
    if (form !== FORM && this.#strict) throw new VaultLocked(id);
    return { is: 'secret', secret: this.#open(authenticated(id, form, facts), id, sealed), facts };
  }

  /** `false` if the id is taken, even by a destroyed secret. */
  create(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.create(COLLECTION, id, this.#stored(id, secret, facts));
  }

  replace(id: string, secret: Buffer, facts: VaultFacts = {}): Promise<boolean> {
    return this.#documents.replace(COLLECTION, id, this.#stored(id, secret, facts));
  }

  /** `true` if there was a secret. Its id can never be used again. */
  async destroy(id: string): Promise<boolean> {
    const marker = this.#marker(id);
    if (await this.#documents.create(COLLECTION, id, marker)) return false;
    const entry = await this.#documents.get(COLLECTION, id);
    await this.#documents.replace(COLLECTION, id, marker);
    await this.#documents.purge();
    return entry?.body.destroyed !== true;
  }

  /** Whether an entry of some vault was made with this master key. */
  opens(id: string, body: JsonObject): boolean {
    const { sealed, form, facts, tag } = body;
    try {
      if (typeof sealed !== 'string') return tag === undefined || this.#isMarker(id, body);
      return this.#open(authenticated(id, form, factsOf(facts)), id, sealed).length >= 0;
    } catch {
      return false;
    }
  }

  /** Marks the id as taken for ever. Cannot be forged without the master key. */
  #marker(id: string): JsonObject {
    return { destroyed: true, tag: this.#tagOf(id) };
  }

  #isMarker(id: string, { destroyed, tag }: JsonObject): boolean {
    const due = Buffer.from(this.#tagOf(id));
    const given = Buffer.from(typeof tag === 'string' ? tag : '');
    return destroyed === true && given.length === due.length && timingSafeEqual(given, due);
  }

  #tagOf(id: string): string {
    return createHmac('sha256', this.#markerKey).update(id).digest('base64');
  }

  #stored(id: string, secret: Buffer, facts: VaultFacts): JsonObject {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#masterKey, iv).setAAD(authenticated(id, FORM, facts));
    const sealed = Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
    return { form: FORM, sealed, facts };
  }

  #open(beside: Buffer, id: string, sealed: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#masterKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(beside)
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new VaultLocked(id, { cause });
    }
  }
}

/** The data authenticated with the secret of an entry. */
const authenticated = (id: string, form: unknown, facts: VaultFacts): Buffer =>
  Buffer.from(form === FORM ? canonicalJson({ id, form: FORM, facts }) : id);

const isFact = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number';

/** The facts of a stored entry. Invalid facts were not written by a vault, and fail to authenticate. */
const factsOf = (stored: Json | undefined): VaultFacts =>
  isJsonObject(stored)
    ? Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, isFact(value) ? value : JSON.stringify(value)]))
    : {};

/** An entry cannot be decrypted: it has another master key, or it was changed. */
export class VaultLocked extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`the vault's entry ${JSON.stringify(id)} does not open under this master key`, options);
    this.name = 'VaultLocked';
  }
}

/** Every entry as stored, by id; secrets stay encrypted with the master key. */
export async function* vaultEntries(documents: Documents): AsyncGenerator<{ id: string; body: JsonObject }, void, undefined> {
  for await (const page of documentPages(documents, COLLECTION, {}, PAGE)) for (const { id, body } of page) yield { id, body };
}

/** Copies an entry of another vault as stored. An existing entry stays, unless the other one was destroyed. */
export const putVaultEntry = async (documents: Documents, id: string, body: JsonObject): Promise<void> => {
  if (await documents.create(COLLECTION, id, body)) return;
  if (body.destroyed === true) await documents.replace(COLLECTION, id, body);
};
