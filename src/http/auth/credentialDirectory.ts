import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { credentialsEventStream } from '../../domain/credentials/events.ts';
import { type CredentialDocument, credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';

const MAX_REMEMBERED = 10_000;
// How old the known state of a credential may be: what is revoked stops working so much after the read models know.
const STATE_MILLISECONDS = 250;

interface KnownState {
  readonly read: Promise<CredentialDocument | null>;
  readonly at: number;
}

/**
 * The credentials as of now. Remembers where a secret was found, and for a quarter of a second what state a credential is in; never
 * that there was none, so that one just issued works at once.
 */
export class CredentialDirectory {
  readonly #readModels: ReadModels;
  readonly #clock: Clock;
  readonly #states = new LRUCache<string, KnownState>({ max: MAX_REMEMBERED });
  readonly #owners = new LRUCache<string, Owner>({ max: MAX_REMEMBERED });

  constructor(readModels: ReadModels, clock: Clock) {
    this.#readModels = readModels;
    this.#clock = clock;
  }

  /** The client whose pair this is, `null` for a wrong one. */
  async byPair(clientId: string, clientSecret: string): Promise<CredentialDocument | null> {
    return this.#matching(`client ${clientId}`, { clientId, kind: 'client' }, sha256(clientSecret));
  }

  /** The API key's credential, `null` for an unknown one. */
  async byApiKey(key: string): Promise<CredentialDocument | null> {
    const hash = sha256(key);
    return this.#matching(`key ${hash}`, { secretHash: hash, kind: 'api-key' }, hash);
  }

  /** The credential that a token was made from, unless it was revoked, rotated or has expired since. */
  async byGeneration(credentialId: string, subject: string, generation: number): Promise<CredentialDocument | null> {
    const state = await this.#state({ credentialId, subject });
    return state && state.generation === generation && this.#isValid(state) ? state : null;
  }

  /** After a change made here: its present state is read at the next request. */
  forget(credentialId: string): void {
    this.#states.delete(credentialId);
  }

  async #matching(
    name: string,
    where: { kind: string; clientId: string } | { kind: string; secretHash: string },
    secretHash: string,
  ): Promise<CredentialDocument | null> {
    const owner = this.#owners.get(name);
    const known = owner ? await this.#state(owner) : null;
    if (known && sameHash(known.secretHash, secretHash) && this.#isValid(known)) return known;
    const { kind, ...indexed } = where;
    const found = await this.#readModels.find(credentialsProjection, {
      where: { ...indexed, revoked: false },
      limit: MAX_SAME,
    });
    for (const { credentialId, subject, kind: foundKind } of found) {
      if (foundKind !== kind) continue;
      this.#states.delete(credentialId);
      const state = await this.#state({ credentialId, subject });
      if (!state || !sameHash(state.secretHash, secretHash) || !this.#isValid(state)) continue;
      this.#owners.set(name, { credentialId, subject });
      return state;
    }
    return null;
  }

  #state({ credentialId, subject }: Owner): Promise<CredentialDocument | null> {
    const now = this.#clock.monotonic();
    const known = this.#states.get(credentialId);
    if (known && now - known.at < STATE_MILLISECONDS) return known.read;
    const read = this.#readModels.getFresh(credentialsProjection, credentialId, credentialsEventStream(subject));
    this.#states.set(credentialId, { read, at: now });
    // A failed read is not remembered: the next request asks again.
    read.catch(() => this.#states.delete(credentialId));
    return read;
  }

  #isValid({ revoked, expiresTimestamp }: CredentialDocument): boolean {
    return !revoked && (expiresTimestamp === null || Date.parse(expiresTimestamp) > this.#clock.now());
  }
}

interface Owner {
  readonly credentialId: string;
  readonly subject: string;
}

// Client ids and secrets are made by the platform; only the configuration could name one twice.
const MAX_SAME = 20;

const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const sameHash = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
