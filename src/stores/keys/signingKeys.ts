import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import { Serial } from '../serial.ts';
import type { Vault } from './vault.ts';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: 'ES256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Name of the note that lists the seal keys. */
export const SEAL_KEYS = 'seal keys';

const generate = promisify(generateKeyPair);

/** How long another node may continue to sign with the previous key: every node sees a rotation within this time. */
const REFRESH_MILLISECONDS = 1_000;

/** Limits look-ups for invented key ids, so that callers cannot keep the vault busy. */
const LOOK_AGAIN_MILLISECONDS = 50;

interface Entry {
  readonly key: SigningKey;
  /** How long the previous key is accepted, in milliseconds since the epoch; `null` is for ever. */
  readonly previousUntil: number | null;
}

/**
 * The keys of one purpose, numbered from 1: the entry `signing/<purpose>/<n>` is made once and never changed, so that `create` decides between
 * nodes. The newest key signs; each entry says how long its predecessor is accepted.
 */
export class SigningKeys {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #purpose: string;
  readonly #makes: boolean;
  readonly #entries: Entry[] = [];
  #refreshed = Number.NEGATIVE_INFINITY;
  readonly #turns = new Serial();

  /** With `makes`, the first key is made on the first request; otherwise by `makeFirst`. */
  constructor(vault: Vault, clock: Clock, { purpose, makes }: { purpose: string; makes: boolean }) {
    this.#vault = vault;
    this.#clock = clock;
    this.#purpose = purpose;
    this.#makes = makes;
  }

  /** Does nothing if there is one. */
  makeFirst(): Promise<void> {
    return this.#turns.run(this.#purpose, async () => {
      await this.#load();
      if (this.#entries.length > 0) return;
      await this.#make(1, 0);
      await this.#load();
    });
  }

  async newest(): Promise<SigningKey> {
    await this.#fresh();
    return this.#last();
  }

  /** Newest first. Reads again for an unknown key id: another node may have just made it. */
  async accepted(kid?: string): Promise<readonly SigningKey[]> {
    await this.#fresh();
    const unknown = kid !== undefined && !this.#entries.some(({ key }) => key.kid === kid);
    if (unknown && this.#clock.monotonic() - this.#refreshed >= LOOK_AGAIN_MILLISECONDS)
      await this.#turns.run(this.#purpose, () => this.#load());
    const now = this.#clock.now();
    const accepted = this.#entries.filter((_, index) => {
      const next = this.#entries[index + 1];
      return !next || next.previousUntil === null || now < next.previousUntil;
    });
    return accepted.map(({ key }) => key).reverse();
  }

  rotate(overlapMilliseconds: number): Promise<SigningKey> {
    return this.#turns.run(this.#purpose, async () => {
      await this.#load();
      const until = this.#clock.now() + overlapMilliseconds;
      await this.#make(this.#entries.length + 1, Number.isFinite(until) ? until : null);
      await this.#load();
      return this.#last();
    });
  }

  #last(): SigningKey {
    const last = this.#entries.at(-1);
    if (!last) throw new Error(`the vault has no ${this.#purpose} key`);
    return last.key;
  }

  async #fresh(): Promise<void> {
    // While the first key is being made, requests wait for it.
    const isMissing = this.#makes && this.#entries.length === 0;
    if (!isMissing && this.#clock.monotonic() - this.#refreshed < REFRESH_MILLISECONDS) return;
    await (this.#makes ? this.makeFirst() : this.#turns.run(this.#purpose, () => this.#load()));
  }

  async #load(): Promise<void> {
    const now = this.#clock.monotonic();
    for (let entry = await this.#read(this.#entries.length + 1); entry; entry = await this.#read(this.#entries.length + 1)) {
      this.#entries.push(entry);
    }
    this.#refreshed = now;
  }

  async #read(number: number): Promise<Entry | null> {
    const entry = await this.#vault.read(this.#id(number));
    if (entry?.is !== 'secret') return null;
    const privateKey = createPrivateKey({ key: entry.secret, format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey);
    const kid = createHash('sha256')
      .update(publicKey.export({ format: 'der', type: 'spki' }))
      .digest('base64url');
    const { previousUntil } = entry.facts;
    return {
      key: { kid, algorithm: 'ES256', privateKey, publicKey },
      previousUntil: typeof previousUntil === 'number' ? previousUntil : null,
    };
  }

  /** If another node has already made this number, its key is used. */
  async #make(number: number, previousUntil: number | null): Promise<void> {
    const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
    await this.#vault.create(this.#id(number), privateKey.export({ format: 'der', type: 'pkcs8' }), { previousUntil });
  }

  #id(number: number): string {
    return `signing/${this.#purpose}/${number}`;
  }
}
