import { createHash, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { expressjwt, type Request as JwtRequest, UnauthorizedError } from 'express-jwt';
import { decodeJwt, errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { CredentialDocument } from '../../projections/credentials.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import type { SigningKey } from '../../stores/keys/signingKeys.ts';
import { unauthenticated } from '../errors/errors.ts';
import type { OutsideIdentity, OutsideIssuer } from './outsideIssuer.ts';

/** Documented: clients rely on it. */
export const TOKEN_SECONDS = 600;
const AUDIENCE = 'tributary';
/** Of client secrets, so that no other operation takes them. */
const REALTIME_AUDIENCE = 'tributary-realtime';
/** As in OpenAI's interface. */
const SECRET_PREFIX = 'ek_';
const MAX_REMEMBERED = 10_000;
// Tokens that were seen before stay valid this long after their key is withdrawn.
const REMEMBERED_MILLISECONDS = 60_000;
const KEYS_MILLISECONDS = 5_000;

/** The claims of a token whose signature, issuer, audience and times are valid. */
export type VerifiedToken =
  /** The credential that it was issued for, whose present state decides what it may do. */
  | { readonly kind: 'own'; readonly credentialId: string; readonly subject: string; readonly generation: number }
  | ({ readonly kind: 'outside'; readonly issuer: string } & OutsideIdentity);

type Claims = Readonly<Record<string, unknown>>;
/** A request of Express, or the handshake of a WebSocket. */
export type Arrived = Request | IncomingMessage;
type Verify = (token: string, arrived: Arrived) => Promise<Claims>;

export interface TokensDeps {
  readonly keys: Keys;
  readonly clock: Clock;
  /** `iss` of the platform's own tokens: `${PUBLIC_URL}/realms/{realm}`. */
  readonly issuer: () => string;
  readonly outside: OutsideIssuer | null;
}

/** Issues access tokens, and verifies them and those of an outside issuer. */
export class Tokens {
  readonly #deps: TokensDeps;
  readonly #verified = new LRUCache<string, { token: VerifiedToken; until: number }>({ max: MAX_REMEMBERED });
  readonly #verifyOutside: Verify | null;
  #accepted: { keys: Promise<readonly SigningKey[]>; at: number } | null = null;

  constructor(deps: TokensDeps) {
    this.#deps = deps;
    const { outside, clock } = deps;
    this.#verifyOutside = outside
      ? verifier(clock, { ...outside, algorithms: [...OUTSIDE_ALGORITHMS], key: (header) => outside.key(header) })
      : null;
  }

  /** A token valid for ten minutes, unless its credential changes. */
  async issue({ credentialId, subject, generation, role, clientId }: CredentialDocument): Promise<string> {
    const { keys, clock, issuer } = this.#deps;
    const { kid, algorithm, privateKey } = await keys.signingKey('token');
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ client_id: clientId, credential_id: credentialId, generation, realm_access: { roles: [role] } })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(issuer())
      .setAudience(AUDIENCE)
      .setSubject(subject)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + TOKEN_SECONDS)
      .sign(privateKey);
  }

  /** A secret for realtime sessions of the caller, which begin with the settings of `session`. */
  async issueClientSecret(caller: Caller, session: object, seconds: number): Promise<{ value: string; expiresAt: number }> {
    const { subject, actor, roles } = caller;
    const { keys, clock, issuer } = this.#deps;
    const { kid, algorithm, privateKey } = await keys.signingKey('token');
    const expiresAt = Math.floor(clock.now() / 1000) + seconds;
    const token = await new SignJWT({ actor, roles, session })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(issuer())
      .setAudience(REALTIME_AUDIENCE)
      .setSubject(subject)
      .setExpirationTime(expiresAt)
      .sign(privateKey);
    return { value: `${SECRET_PREFIX}${token}`, expiresAt };
  }

  /** The caller whose client secret a handshake presents. Rejects with 401. */
  async verifyClientSecret(secret: string, incoming: IncomingMessage): Promise<Caller> {
    const { sub, actor, roles } = await this.#verifyOwn(secret.slice(SECRET_PREFIX.length), incoming, REALTIME_AUDIENCE);
    if (typeof sub !== 'string' || typeof actor !== 'string' || !Array.isArray(roles)) throw invalidToken();
    return { subject: sub, actor, roles };
  }

  /** Verifies a token that the request presents. Rejects with a `Problem`: 401, or 503 if the outside issuer's keys are unavailable. */
  async verify(token: string, incoming: Arrived): Promise<VerifiedToken> {
    const name = createHash('sha256').update(token).digest('base64');
    const now = this.#deps.clock.now();
    const known = this.#verified.get(name);
    if (known && now < known.until) return known.token;
    const claims = await this.#claims(token, incoming);
    const verified = this.#read(claims);
    const until = Math.min(Number(claims.exp) * 1000, now + REMEMBERED_MILLISECONDS);
    this.#verified.set(name, { token: verified, until });
    return verified;
  }

  #claims(token: string, incoming: Arrived): Promise<Claims> {
    const issuer = claimedIssuer(token);
    if (issuer === this.#deps.issuer()) return this.#verifyOwn(token, incoming);
    if (this.#verifyOutside && issuer === this.#deps.outside?.issuer) return this.#verifyOutside(token, incoming);
    throw unauthenticated('The issuer of this access token is not accepted here.', 'invalid_token');
  }

  #verifyOwn(token: string, incoming: Arrived, audience = AUDIENCE): Promise<Claims> {
    const { clock, issuer } = this.#deps;
    const verify = verifier(clock, { issuer: issuer(), audience, algorithms: ['ES256'], key: ({ kid }) => this.#ownKey(kid) });
    return verify(token, incoming);
  }

  #read(claims: Claims): VerifiedToken {
    const { iss, sub, credential_id: credentialId, generation } = claims;
    const { outside } = this.#deps;
    if (outside && iss === outside.issuer && iss !== this.#deps.issuer())
      return { kind: 'outside', issuer: outside.issuer, ...outside.identity(claims) };
    if (typeof sub !== 'string' || typeof credentialId !== 'string' || typeof generation !== 'number') throw invalidToken();
    return { kind: 'own', credentialId, subject: sub, generation };
  }

  async #ownKey(kid: string): Promise<SigningKey['publicKey'] | undefined> {
    const now = this.#deps.clock.monotonic();
    const remembered = this.#accepted && now - this.#accepted.at < KEYS_MILLISECONDS ? await this.#accepted.keys : [];
    const known = remembered.find((key) => key.kid === kid);
    if (known) return known.publicKey;
    // Another node may have created the key just now.
    const keys = this.#deps.keys.acceptedKeys('token', kid);
    this.#accepted = { keys, at: now };
    keys.catch(() => {
      this.#accepted = null;
    });
    return (await keys).find((key) => key.kid === kid)?.publicKey;
  }
}

export const isClientSecret = (text: string): boolean => text.startsWith(SECRET_PREFIX);

/** The session in a client secret that has been verified. */
export const sessionIn = (secret: string): unknown => decodeJwt(secret.slice(SECRET_PREFIX.length)).session;

// Never `none`, never HS*.
const OUTSIDE_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const;

const invalidToken = () => unauthenticated('The access token is not valid. Get a new one from the token endpoint.', 'invalid_token');

const claimedIssuer = (token: string): unknown => {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw invalidToken();
  }
};

interface Expected {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: (typeof OUTSIDE_ALGORITHMS)[number][];
  readonly key: (header: { kid: string; alg: string }) => Promise<SigningKey['publicKey'] | undefined>;
}

/**
 * Verifies the token of a request by express-jwt, and that of a WebSocket handshake, which has no response, by jose. `authenticated` calls express-jwt
 * instead of mounting it: keys and client secrets come in the same headers, and the issuer that a token names decides how it is verified.
 */
const verifier =
  (clock: Clock, expected: Expected): Verify =>
  (token, arrived) =>
    'res' in arrived && arrived.res ? byExpress(token, arrived, arrived.res, clock, expected) : byJose(token, clock, expected);

const byExpress = (
  token: string,
  request: Request,
  response: Response,
  clock: Clock,
  { issuer, audience, algorithms, key }: Expected,
): Promise<Claims> =>
  new Promise((resolve, reject) => {
    const verify = expressjwt({
      secret: (_request, decoded) => keyFor({ ...decoded?.header }, algorithms, key),
      issuer,
      audience,
      algorithms,
      // It may be in a place that express-jwt does not know.
      getToken: () => token,
      clockTimestamp: Math.floor(clock.now() / 1000),
    });
    const verified: JwtRequest<Claims> = request;
    verify(verified, response, (error?: unknown) => {
      if (error) reject(error instanceof UnauthorizedError ? invalidToken() : error);
      else if (typeof verified.auth?.exp !== 'number') reject(invalidToken());
      else resolve(verified.auth);
    }).catch(reject);
  });

const byJose = async (token: string, clock: Clock, { key, ...expected }: Expected): Promise<Claims> => {
  const options = { ...expected, requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
  try {
    return (await jwtVerify(token, (header: JWTHeaderParameters) => keyFor(header, expected.algorithms, key), options)).payload;
  } catch (error) {
    throw error instanceof errors.JOSEError ? invalidToken() : error;
  }
};

const keyFor = async (header: Claims, algorithms: readonly string[], key: Expected['key']): Promise<KeyObject> => {
  const { kid, alg, crit } = header;
  // An unknown critical extension makes a token invalid (RFC 7515, section 4.1.11).
  if (typeof kid !== 'string' || typeof alg !== 'string' || crit !== undefined || !algorithms.includes(alg)) throw invalidToken();
  const found = await key({ kid, alg });
  if (!found) throw invalidToken();
  return found;
};
