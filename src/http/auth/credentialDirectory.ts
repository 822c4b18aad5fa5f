import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { credentialsEventStream } from '../../domain/credentials/events.ts';
import type { Person } from '../../domain/people/state.ts';
import { type CredentialDocument, credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { usersProjection } from '../../projections/users.ts';

const MAX_REMEMBERED = 10_000;
// Longest age of a cached credential: a revoked one stops working this long after the read models know.
const STATE_MILLISECONDS = 250;

interface KnownState {
  readonly read: Promise<CredentialDocument | null>;
  readonly at: number;
}

/**
 * Present state of the credentials. Caches where a secret was found, and a credential's state for a quarter of a second. Never caches that a
 * credential is missing, so a new one works at once.
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

  /** The client with this pair; `null` if the pair is wrong. */
  async byPair(clientId: string, clientSecret: string): Promise<CredentialDocument | null> {
    return this.#matching(`client ${clientId}`, { clientId, kind: 'client' }, sha256(clientSecret));
  }

  /** The credential of an API key; `null` if unknown. */
  async byApiKey(key: string): Promise<CredentialDocument | null> {
    const hash = sha256(key);
    return this.#matching(`key ${hash}`, { secretHash: hash, kind: 'api-key' }, hash);
  }

  /** The session with this token; `null` if unknown. */
  async bySession(token: string): Promise<CredentialDocument | null> {
    const hash = sha256(token);
    return this.#matching(`session ${hash}`, { secretHash: hash, kind: 'session' }, hash);
  }

  /** The sign-in link with this token; `null` if unknown, used or expired. */
  async byLink(token: string): Promise<CredentialDocument | null> {
    const hash = sha256(token);
    return this.#matching(`link ${hash}`, { secretHash: hash, kind: 'link' }, hash);
  }

  /** The session that a caller signed in with; `null` for another credential. */
  async sessionOf({ actor, subject }: Pick<Caller, 'actor' | 'subject'>): Promise<CredentialDocument | null> {
    const state = await this.#state({ credentialId: actor, subject });
    return state?.kind === 'session' ? state : null;
  }

  /** The credential that a token was issued for, unless it was revoked or rotated since, or has expired. */
  async byGeneration(credentialId: string, subject: string, generation: number): Promise<CredentialDocument | null> {
    const state = await this.#state({ credentialId, subject });
    return state && state.generation === generation && this.#isValid(state) ? state : null;
  }

  /** The credential of a caller; `null` if it is not valid any more. */
  async ofCaller({ actor, subject }: Pick<Caller, 'actor' | 'subject'>): Promise<CredentialDocument | null> {
    const state = await this.#state({ credentialId: actor, subject });
    return state && this.#isValid(state) ? state : null;
  }

  /** Someone who has signed in; `null` for an unknown id. */
  async person(personId: string): Promise<Person | null> {
    return (await this.#readModels.get(usersProjection, personId))?.person ?? null;
  }

  /** Whether the caller's credential was revoked. */
  async isRevoked({ actor, subject }: Pick<Caller, 'actor' | 'subject'>): Promise<boolean> {
    return (await this.#state({ credentialId: actor, subject }))?.revoked ?? false;
  }

  /** Call after a change made here: the next request reads the present state. */
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
    // Do not cache a failed read.
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

// The platform generates client ids and secrets, so only the configuration could use one twice.
const MAX_SAME = 20;

const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const sameHash = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
