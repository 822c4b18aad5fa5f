import type { IncomingMessage } from 'node:http';
import type { SessionCookie } from '../auth/sessionCookie.ts';
import type { IdentityProvider } from './provider.ts';

const ID_TOKEN = 'tributary-id-token';
/** Browsers keep cookies of up to 4 KB. */
const MAX_CHARACTERS = 3_500;

/** Sign-out at the identity provider. The browser keeps the ID token for it: many providers want it back. */
export class ProviderSignOut {
  readonly #provider: Pick<IdentityProvider, 'signOutUrl'>;
  readonly #cookie: SessionCookie;
  readonly #publicUrl: () => string;

  constructor(provider: Pick<IdentityProvider, 'signOutUrl'>, cookie: SessionCookie, publicUrl: () => string) {
    this.#provider = provider;
    this.#cookie = cookie;
    this.#publicUrl = publicUrl;
  }

  /** `Set-Cookie` after a sign-in. */
  keep(idToken: string): string {
    return idToken.length <= MAX_CHARACTERS ? this.#cookie.write(ID_TOKEN, idToken) : this.forget();
  }

  forget(): string {
    return this.#cookie.write(ID_TOKEN, '', 0);
  }

  /** The provider's page for the browser of a request. `null` if it has none, or is away. */
  urlFor(incoming: IncomingMessage): Promise<URL | null> {
    return this.#provider.signOutUrl(this.#cookie.read(incoming, ID_TOKEN), `${this.#publicUrl()}/`);
  }
}
