import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { CredentialDocument } from '../../projections/credentials.ts';
import { unauthenticated } from '../errors/errors.ts';
import type { Target } from '../input/target.ts';
import { clientAddress, type ProxyTrust } from '../limits/clientAddress.ts';
import type { CredentialDirectory } from './credentialDirectory.ts';
import { type ClientPair, decodePair, keyOrToken, type PresentedCredential, presentedCredential } from './presentedCredential.ts';
import type { SessionCookie } from './sessionCookie.ts';
import type { WrongCredentialThrottle } from './throttle.ts';
import type { Tokens, VerifiedToken } from './tokens.ts';

/** Finds out who presents the credential of a request. Rejects with a `Problem` (401, 429, 503). */
export type Authenticate = (incoming: IncomingMessage, target: Target) => Promise<Caller>;

export interface AuthenticationDeps {
  readonly directory: CredentialDirectory;
  readonly tokens: Tokens;
  readonly throttle: WrongCredentialThrottle;
  readonly trusts: ProxyTrust;
  readonly uses: Pick<CredentialUses, 'note' | 'wasUsedSince'>;
  readonly cookie: SessionCookie;
  readonly clock: Pick<Clock, 'now'>;
}

type OutsideToken = Extract<VerifiedToken, { kind: 'outside' }>;

const FORMS =
  'Send an API key as Authorization: Bearer <key> or Basic <key>, an access token as Bearer <token>, or a client id and secret as X-Client-Id and X-Client-Secret.';
const EXPIRED_SECRET = 'The client secret is not valid, or has expired. Create another with POST /v1/realtime/client_secrets.';
const IDLE_MILLISECONDS = 12 * 3_600_000;
const INVALID = 'The credential is not valid. It is unknown, revoked, rotated or expired.';

/** Identifies the caller. Rejects with a `Problem`: 401, 429 after too many failures, 503. */
export class Authentication {
  readonly #deps: AuthenticationDeps;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
  }

  /** Authenticates a request by the first credential it presents. */
  authenticate: Authenticate = async (incoming, { rawQuery }) => this.check(presentedCredential(incoming.headers, rawQuery), incoming);

  /** Authenticates a credential from another place, such as a WebSocket's protocol header. `incoming` names the place. */
  async check(given: PresentedCredential, incoming: IncomingMessage): Promise<Caller> {
    const presented = keyOrToken(given);
    switch (presented.form) {
      case 'none':
        return this.#bySession(incoming);
      case 'malformed':
        return this.#refuse('malformed', incoming, `The credential has no known form. ${FORMS}`);
      case 'jwt':
        return this.#byToken(presented.token, incoming);
      case 'api-key':
        return this.#accept(await this.#deps.directory.byApiKey(presented.key), 'api-key', incoming, `${INVALID} ${FORMS}`);
      case 'pair':
        return callerOf(await this.client([presented], incoming));
      case 'basic':
        return this.#byBasic(presented.value, incoming);
      case 'client-secret':
        return this.#bySecret(presented.secret, incoming);
    }
  }

  /** The client with this pair, tried literally and decoded. Rejects like `check`. */
  async client(readings: readonly ClientPair[], incoming: IncomingMessage): Promise<CredentialDocument> {
    for (const { clientId, clientSecret } of readings) {
      const credential = await this.#deps.directory.byPair(clientId, clientSecret);
      if (credential) return this.#used(credential);
    }
    // The last reading is fully decoded, so failed attempts on one client count together, however its id was encoded.
    return this.#refuse(`client ${readings.at(-1)?.clientId}`, incoming);
  }

  /** The cookie of the dashboard is looked at last. */
  async #bySession(incoming: IncomingMessage): Promise<Caller> {
    const { directory, cookie } = this.#deps;
    const token = cookie.tokenOf(incoming);
    if (token === null) throw missing();
    cookie.checkOrigin(incoming);
    const session = await directory.bySession(token);
    const lasts = session !== null && (await this.lasts(session));
    return this.#accept(lasts ? session : null, 'session', incoming, 'Your session has ended. Sign in again.');
  }

  /** Whether a session was used in the last 12 hours. */
  async lasts({ credentialId, createdTimestamp }: CredentialDocument): Promise<boolean> {
    const { clock, uses } = this.#deps;
    const since = clock.now() - IDLE_MILLISECONDS;
    return Date.parse(createdTimestamp) > since || uses.wasUsedSince(credentialId, since);
  }

  async #byBasic(value: string, incoming: IncomingMessage): Promise<Caller> {
    const { directory } = this.#deps;
    const pair = decodePair(value);
    // A key cannot be mistaken for a valid pair, so the order does not matter; this one saves clients a lookup.
    const client = pair ? await directory.byPair(pair.clientId, pair.clientSecret) : null;
    // Clients send a key as the name of a user without a password, too: `curl -u KEY:`.
    const credential = client ?? (await directory.byApiKey(pair?.clientSecret === '' ? pair.clientId : value));
    return this.#accept(credential, pair ? `client ${pair.clientId}` : 'api-key', incoming);
  }

  async #bySecret(secret: string, incoming: IncomingMessage): Promise<Caller> {
    const { directory, tokens } = this.#deps;
    const caller = await tokens.verifyClientSecret(secret, incoming).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return this.#refuse('client secret', incoming, EXPIRED_SECRET);
    });
    // Tokens of an outside issuer have no credential here.
    if (caller.actor.startsWith('jwt:')) return caller;
    return this.#accept(await directory.ofCaller(caller), 'client secret', incoming, EXPIRED_SECRET);
  }

  async #byToken(text: string, incoming: IncomingMessage): Promise<Caller> {
    const { directory, tokens, throttle } = this.#deps;
    const token = await tokens.verify(text, incoming).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      const limit = await throttle.count('token', this.#address(incoming));
      throw unauthenticated(error.message, 'invalid_token', limit);
    });
    if (token.kind === 'outside') return this.#byOutsideToken(token, incoming);
    const { credentialId, subject, generation } = token;
    return this.#accept(await directory.byGeneration(credentialId, subject, generation), 'token', incoming);
  }

  /** Links and disabling of a person apply to their tokens of the same issuer too. The roles are those of the token. */
  async #byOutsideToken({ issuer, subject, personId, roles }: OutsideToken, incoming: IncomingMessage): Promise<Caller> {
    const person = await this.#deps.directory.person(personId);
    if (person?.disabled) return this.#refuse('token', incoming, 'An administrator has disabled this person.');
    const isLinked = person !== null && person.subject !== personId;
    return { subject: isLinked ? person.subject : subject, actor: `jwt:${issuer}`, roles };
  }

  #accept(credential: CredentialDocument | null, claim: string, incoming: IncomingMessage, refusal = INVALID): Caller | Promise<never> {
    return credential ? callerOf(this.#used(credential)) : this.#refuse(claim, incoming, refusal);
  }

  #used(credential: CredentialDocument): CredentialDocument {
    this.#deps.uses.note(credential);
    return credential;
  }

  async #refuse(claim: string, incoming: IncomingMessage, message = INVALID): Promise<never> {
    const limit = await this.#deps.throttle.count(claim, this.#address(incoming));
    throw unauthenticated(message, 'invalid_token', limit);
  }

  #address(incoming: IncomingMessage): string {
    return clientAddress(incoming, this.#deps.trusts);
  }
}

const missing = (): Problem => unauthenticated(`This operation needs a credential. ${FORMS}`);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && error.statusCode === 401;

const callerOf = ({ credentialId, subject, role }: CredentialDocument): Caller => ({ subject, actor: credentialId, roles: [role] });
