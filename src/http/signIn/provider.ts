import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Clock } from '../../clock.ts';

export interface ProviderSettings {
  /** Exactly as in the claim `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  /** `null` for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  readonly userAgent: string;
}

/** Kept in a cookie of the browser while its user is at the provider. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** What the provider says about a person who signed in. */
export interface Vouched {
  readonly claims: Claims;
  readonly idToken: string;
}

/** The provider cannot be reached, or does not answer as one. */
export class ProviderAway extends Error {}

interface Discovered {
  readonly at: number;
  readonly reading: Promise<Configuration>;
}

const TIMEOUT_SECONDS = 5;
/** Time until its addresses are read again. Short, so that a browser is hardly ever sent to a provider that is away. */
const DISCOVERED_MILLISECONDS = 5_000;

/** The organisation's identity provider: OpenID Connect, authorization code with PKCE. */
export class IdentityProvider {
  readonly #settings: ProviderSettings;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #discovered: Discovered | null = null;

  constructor(settings: ProviderSettings, clock: Pick<Clock, 'monotonic'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The address to send the browser to. Rejects with `ProviderAway`. */
  async begin(redirectUri: string): Promise<{ url: URL; flow: Flow }> {
    const provider = await this.#provider();
    const flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    });
    return { url, flow };
  }

  /**
   * The ID token, and its claims with those of the provider's answer about its user. `returned`: the address that the browser came back to. Rejects with
   * `ProviderAway`, or with the reason why an answer is not accepted.
   */
  async finish(returned: URL, { state, nonce, verifier }: Flow): Promise<Vouched> {
    const provider = await this.#provider();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await authorizationCodeGrant(provider, returned, checks).catch(awayIfUnreachable);
    const claims = tokens.claims();
    const idToken = tokens.id_token;
    if (!claims || idToken === undefined) throw new Error('the provider sent no ID token');
    if (!provider.serverMetadata().userinfo_endpoint) return { claims, idToken };
    const about = await fetchUserInfo(provider, tokens.access_token, claims.sub).catch(awayIfUnreachable);
    return { claims: { ...about, ...claims }, idToken };
  }

  /** The page where a person ends their session at the provider, which then sends them to `returnUri`. `null` if it has none, or is away. */
  async signOutUrl(idToken: string | null, returnUri: string): Promise<URL | null> {
    const provider = await this.#provider().catch(() => null);
    if (!provider?.serverMetadata().end_session_endpoint) return null;
    return buildEndSessionUrl(provider, { post_logout_redirect_uri: returnUri, ...(idToken !== null && { id_token_hint: idToken }) });
  }

  /** Its addresses and keys. After a failure the next caller tries again. */
  #provider(): Promise<Configuration> {
    const now = this.#clock.monotonic();
    if (this.#discovered && now - this.#discovered.at < DISCOVERED_MILLISECONDS) return this.#discovered.reading;
    const reading = discover(this.#settings).catch((error: unknown) => {
      this.#discovered = null;
      throw new ProviderAway('the identity provider cannot be reached', { cause: error });
    });
    this.#discovered = { at: now, reading };
    return reading;
  }
}

const discover = ({ issuer, clientId, clientSecret, userAgent }: ProviderSettings): Promise<Configuration> => {
  const authentication = clientSecret === null ? None() : ClientSecretPost(clientSecret);
  // The operator wrote the address without https: the provider may be on the same machine.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return discovery(new URL(issuer), clientId, undefined, authentication, {
    ...{ execute, timeout: TIMEOUT_SECONDS },
    [customFetch]: (url, { headers, body, method, redirect, signal }) =>
      fetch(url, { headers: { ...headers, 'user-agent': userAgent }, body: body ?? null, method, redirect, ...(signal && { signal }) }),
  });
};

const AWAY_CODES: readonly unknown[] = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'];

/** `fetch` rejects with a `TypeError` if there is no connection. */
const awayIfUnreachable = (error: unknown): never => {
  const isAway = error instanceof ClientError ? AWAY_CODES.includes(error.code) : error instanceof TypeError;
  throw isAway ? new ProviderAway('the identity provider did not answer', { cause: error }) : error;
};
