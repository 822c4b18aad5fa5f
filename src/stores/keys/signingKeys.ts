import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { SigningKey } from './keys.ts';
import type { Vault } from './vault.ts';

const generate = promisify(generateKeyPair);

/** How long another node may go on signing with the key before: a rotation shows everywhere within it. */
const REFRESH_MILLISECONDS = 1_000;

/** What callers make up must not keep the vault busy. */
const LOOK_AGAIN_MILLISECONDS = 50;

interface Entry {
  readonly key: SigningKey;
  /** Until when the key before this one is accepted, milliseconds since the epoch; `null` is for ever. */
  readonly previousUntil: number | null;
}

/**
 * The keys of one purpose, numbered from 1: the entry `signing/<purpose>/<n>` is made once and never changed, so that `create` decides
 * between nodes. The newest signs; each entry says how long the one before it is still accepted.
 */
export class SigningKeys {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #purpose: string;
  readonly #makes: boolean;
  readonly #entries: Entry[] = [];
  #refreshed = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();

  /** With `makes`, the first key is made when one is asked for; else `makeFirst` does. */
  constructor(vault: Vault, clock: Clock, { purpose, makes }: { purpose: string; makes: boolean }) {
    this.#vault = vault;
    this.#clock = clock;
    this.#purpose = purpose;
    this.#makes = makes;
  }

  /** Nothing when there is one. */
  makeFirst(): Promise<void> {
    return this.#inTurn(async () => {
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

  /** Newest first. Looks again when a key is asked for that is not known: another node may have made it just now. */
  async accepted(kid?: string): Promise<readonly SigningKey[]> {
    await this.#fresh();
    const unknown = kid !== undefined && !this.#entries.some(({ key }) => key.kid === kid);
    if (unknown && this.#clock.monotonic() - this.#refreshed >= LOOK_AGAIN_MILLISECONDS) await this.#inTurn(() => this.#load());
    const now = this.#clock.now();
    const accepted = this.#entries.filter((_, index) => {
      const next = this.#entries[index + 1];
      return !next || next.previousUntil === null || now < next.previousUntil;
    });
    return accepted.map(({ key }) => key).reverse();
  }

  rotate(overlapMilliseconds: number): Promise<SigningKey> {
    return this.#inTurn(async () => {
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
    if (this.#clock.monotonic() - this.#refreshed < REFRESH_MILLISECONDS) return;
    await this.#inTurn(async () => {
      await this.#load();
      if (this.#makes && this.#entries.length === 0) {
        await this.#make(1, 0);
        await this.#load();
      }
    });
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

  /** When another node has made this number first, that one is the key. */
  async #make(number: number, previousUntil: number | null): Promise<void> {
    const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
    await this.#vault.create(this.#id(number), privateKey.export({ format: 'der', type: 'pkcs8' }), { previousUntil });
  }

  #id(number: number): string {
    return `signing/${this.#purpose}/${number}`;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
