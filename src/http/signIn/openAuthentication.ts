import type { Clock } from '../../clock.ts';
import type { CredentialDeps } from '../../commands/credentials.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import type { Limits } from '../../limits.ts';
import type { Logger } from '../../logger.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import { Authentication } from '../auth/authentication.ts';
import { CredentialDirectory } from '../auth/credentialDirectory.ts';
import { OpenAccess } from '../auth/openAccess.ts';
import { type OutsideIssuerSettings, outsideIssuer } from '../auth/outsideIssuer.ts';
import { SessionCookie } from '../auth/sessionCookie.ts';
import { WrongCredentialThrottle } from '../auth/throttle.ts';
import { tokenRoutes } from '../auth/tokenRoutes.ts';
import { Tokens } from '../auth/tokens.ts';
import { credentialRoutes } from '../credentials/credentialRoutes.ts';
import { proxyTrust } from '../limits/clientAddress.ts';
import type { Route } from '../route/route.ts';
import type { IdentitySettings } from './identity.ts';
import { linkRoute } from './linkRoute.ts';
import { oidcRoutes } from './oidcRoutes.ts';
import { IdentityProvider, type ProviderSettings } from './provider.ts';
import { ProviderSignOut } from './providerSignOut.ts';
import { sessionRoutes } from './sessionRoutes.ts';
import { userRoutes } from './userRoutes.ts';

export interface AuthenticationSettings {
  readonly realm: string;
  /** With PORT=0 it is known only once the server listens, so it is read at every use. */
  readonly publicUrl: () => string;
  readonly trustProxy: boolean | number | string;
  readonly outside: OutsideIssuerSettings | null;
  readonly identityProvider: (ProviderSettings & IdentitySettings) | null;
  readonly limits: Pick<Limits, 'formMaxFields'>;
}

export interface OpenAuthenticationDeps extends CredentialDeps {
  readonly readModels: ReadModels;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly credentialUses: CredentialUses;
  readonly logger: Logger;
}

/** Authentication: the identity of callers, and the routes of the token endpoint, the credential service and the sign-in of people. */
export const openAuthentication = (
  deps: OpenAuthenticationDeps,
  { realm, publicUrl, trustProxy, outside, identityProvider, limits }: AuthenticationSettings,
): { authentication: Authentication; access: OpenAccess; tokens: Tokens; routes: readonly Route[] } => {
  const { readModels, keys, clock, credentialUses: uses } = deps;
  const issuer = () => `${publicUrl()}/realms/${realm}`;
  const directory = new CredentialDirectory(readModels, clock);
  const tokens = new Tokens({ keys, clock, issuer, outside: outside && outsideIssuer(outside, clock) });
  const throttle = new WrongCredentialThrottle();
  const cookie = new SessionCookie(publicUrl);
  const authentication = new Authentication({ directory, tokens, throttle, trusts: proxyTrust(trustProxy), uses, cookie, clock });
  const provider = identityProvider && new IdentityProvider(identityProvider, clock);
  const providerSignOut = provider && new ProviderSignOut(provider, cookie, publicUrl);
  const signingIn = { ...deps, directory, authentication, uses, cookie };
  const routes = [
    ...tokenRoutes({ realm, issuer, authentication, tokens, keys, limits }),
    ...credentialRoutes({ ...deps, directory, uses }),
    ...sessionRoutes({ ...signingIn, providerSignOut }),
    linkRoute(signingIn),
    ...userRoutes(signingIn),
    ...(provider && providerSignOut ? oidcRoutes({ ...signingIn, publicUrl, settings: identityProvider, provider, providerSignOut }) : []),
  ];
  return { authentication, access: new OpenAccess(directory, clock), tokens, routes };
};
