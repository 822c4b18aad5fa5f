import { errorOf } from './error.ts';

export type Credential =
  | { readonly apiKey: string }
  /** Exchanged for access tokens, which are renewed before they expire. `realm` defaults to `tributary`. */
  | { readonly clientId: string; readonly clientSecret: string; readonly realm?: string }
  /** An access token, for example of an outside issuer. A function is called before each request. */
  | { readonly accessToken: string | (() => string | Promise<string>) };

/** A token is renewed this long before it expires. */
const MARGIN_MILLISECONDS = 30_000;

/** Value of the `Authorization` header in two parts: `Basic` and an API key, or `Bearer` and an access token. */
export interface Authorization {
  readonly scheme: 'Basic' | 'Bearer';
  readonly value: string;
}

/** Provides the `Authorization` of each request. Fetches and renews access tokens, one request at a time. */
export class Credentials {
  readonly #credential: Credential;
  readonly #url: string;
  readonly #fetch: typeof fetch;
  #token: Promise<{ readonly value: string; readonly until: number }> | null = null;

  constructor(credential: Credential, url: string, fetcher: typeof fetch) {
    this.#credential = credential;
    this.#url = url;
    this.#fetch = fetcher;
  }

  /** Rejects with a `TributaryError` if the token endpoint refuses. */
  async authorization(): Promise<Authorization> {
    const credential = this.#credential;
    if ('apiKey' in credential) return { scheme: 'Basic', value: credential.apiKey };
    if ('accessToken' in credential) {
      const { accessToken } = credential;
      return { scheme: 'Bearer', value: typeof accessToken === 'string' ? accessToken : await accessToken() };
    }
    return { scheme: 'Bearer', value: await this.#exchanged(credential) };
  }

  /** Forgets a token that the server has refused. */
  refused(): void {
    this.#token = null;
  }

  async #exchanged(pair: Extract<Credential, { clientId: string }>): Promise<string> {
    const held = await this.#token?.catch(() => null);
    if (held && held.until > Date.now()) return held.value;
    // Calls made while a token is fetched share it.
    if (held !== undefined) this.#token = null;
    this.#token ??= this.#exchange(pair);
    return (await this.#token).value;
  }

  async #exchange({ clientId, clientSecret, realm = 'tributary' }: Extract<Credential, { clientId: string }>) {
    const response = await this.#fetch(`${this.#url}/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`, {
      method: 'POST',
      // With a challenge in the response, a browser would ask for a name and a password.
      credentials: 'omit',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
    });
    if (!response.ok) throw await errorOf(response);
    // The shape of the server's own token response.
    const { access_token: value, expires_in: seconds } = (await response.json()) as { access_token: string; expires_in: number };
    return { value, until: Date.now() + Math.max(seconds * 1_000 - MARGIN_MILLISECONDS, seconds * 500) };
  }
}
