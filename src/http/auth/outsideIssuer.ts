import { KeyObject } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet } from 'jose';
import { v5 as uuidv5 } from 'uuid';
import type { Clock } from '../../clock.ts';
import { CREDENTIAL_ROLES, type Role } from '../../domain/credentials/events.ts';
import { Problem } from '../../domain/problem.ts';
import { memberOf } from '../../json.ts';
import { USER_AGENT } from '../../userAgent.ts';
import { unauthenticated } from '../errors/errors.ts';
import { isUuid } from '../input/uuid.ts';

export interface OutsideIssuerSettings {
  readonly jwksUri: string;
  readonly userAgent?: string;
  readonly issuer: string;
  readonly audience: string;
  /** Dotted path of the claim, such as `realm_access.roles`. */
  readonly rolesClaim: string;
  /** Separator of roles in a text claim; `null`: the whole text is one role. */
  readonly rolesSeparator: string | null;
}

export interface OutsideIdentity {
  readonly subject: string;
  /** The person who signs in to the dashboard with the same subject of the issuer. */
  readonly personId: string;
  readonly roles: readonly Role[];
}

/** An outside issuer whose tokens are accepted too. */
export interface OutsideIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Its public key with that id; `undefined` if unknown. Rejects with a `Problem` 503 if its keys are unavailable. */
  key(header: { kid: string; alg: string }): Promise<KeyObject | undefined>;
  /** Identity in a verified token. Throws 401 for a token without subject. */
  identity(claims: Readonly<Record<string, unknown>>): OutsideIdentity;
}

const FETCH_MILLISECONDS = 3_000;
const COOLDOWN_MILLISECONDS = 10_000;
const MAX_AGE_MILLISECONDS = 600_000;
// Cached keys stay valid this long while the issuer is unreachable.
const STALE_MILLISECONDS = 3_600_000;
const RETRY_MILLISECONDS = 2_000;

export const outsideIssuer = (settings: OutsideIssuerSettings, clock: Clock): OutsideIssuer => {
  const keys = new OutsideKeys(settings, clock);
  return {
    issuer: settings.issuer,
    audience: settings.audience,
    key: (header) => keys.find(header),
    identity: (claims) => identityOf(claims, settings),
  };
};

/** Keys of the issuer's JWKS: cached for ten minutes, reloaded for an unknown key id, and kept longer while the issuer is unreachable. */
class OutsideKeys {
  readonly #remote: ReturnType<typeof createRemoteJWKSet>;
  readonly #clock: Clock;
  #lastSuccess = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;

  constructor({ jwksUri, userAgent = USER_AGENT }: OutsideIssuerSettings, clock: Clock) {
    this.#remote = createRemoteJWKSet(new URL(jwksUri), {
      headers: { 'user-agent': userAgent },
      timeoutDuration: FETCH_MILLISECONDS,
      cooldownDuration: COOLDOWN_MILLISECONDS,
      cacheMaxAge: MAX_AGE_MILLISECONDS,
    });
    this.#clock = clock;
  }

  async find(header: { kid: string; alg: string }): Promise<KeyObject | undefined> {
    const away = this.#clock.monotonic() - this.#lastFailure < RETRY_MILLISECONDS;
    if (away && !this.#remote.fresh) return this.#stale(header);
    try {
      const key = await this.#remote(header);
      this.#lastSuccess = this.#clock.monotonic();
      return strongKey(KeyObject.from(key));
    } catch (error) {
      if (isAboutTheKey(error)) return undefined;
      this.#lastFailure = this.#clock.monotonic();
      return this.#stale(header);
    }
  }

  async #stale(header: { kid: string; alg: string }): Promise<KeyObject | undefined> {
    const known: JSONWebKeySet | undefined = this.#remote.jwks();
    if (!known || this.#clock.monotonic() - this.#lastSuccess > STALE_MILLISECONDS) throw issuerAway();
    try {
      return strongKey(KeyObject.from(await createLocalJWKSet(known)(header)));
    } catch {
      // It may be a new key, which cannot be checked while the issuer is unreachable.
      throw issuerAway();
    }
  }
}

const SHORTEST_RSA_BITS = 2_048;

/** Treats an RSA key that is too short (RFC 7518, section 3.3) as unknown: `undefined`. */
const strongKey = (key: KeyObject): KeyObject | undefined => {
  const { modulusLength } = key.asymmetricKeyDetails ?? {};
  return modulusLength !== undefined && modulusLength < SHORTEST_RSA_BITS ? undefined : key;
};

const isAboutTheKey = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported;

const issuerAway = (): Problem =>
  new Problem('GENERAL_AUTHENTICATION_ERROR', "The token issuer's keys cannot be had at the moment; try again.", {
    statusCode: 503,
    title: 'Unavailable',
    headers: { 'Retry-After': '2' },
  });

const identityOf = (
  claims: Readonly<Record<string, unknown>>,
  { issuer, rolesClaim, rolesSeparator }: OutsideIssuerSettings,
): OutsideIdentity => {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') throw unauthenticated('The access token has no subject.', 'invalid_token');
  const personId = personIdOf(issuer, sub);
  const subject = isUuid(sub) ? sub.toLowerCase() : personId;
  const roles = rolesIn(claimAt(claims, rolesClaim), rolesSeparator);
  return { subject, personId, roles: roles.length > 0 ? roles : ['user'] };
};

/** Never an id that the issuer chose: it could be that of another owner. */
export const personIdOf = (issuer: string, sub: string): string => uuidv5(sub, uuidv5(issuer, uuidv5.URL));

// A claim of exactly that name takes precedence over the path: some issuers' claims are URLs with dots.
export const claimAt = (claims: Readonly<Record<string, unknown>>, path: string): unknown =>
  Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce<unknown>(memberOf, claims);

const rolesOfText = (claim: unknown, separator: string | null): readonly unknown[] =>
  typeof claim === 'string' && separator !== null ? claim.split(separator).map((role) => role.trim()) : [claim];

const rolesIn = (claim: unknown, separator: string | null): Role[] => {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : rolesOfText(claim, separator);
  return CREDENTIAL_ROLES.filter((role) => named.includes(role));
};
