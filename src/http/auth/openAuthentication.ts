import type { Clock } from '../../clock.ts';
import type { CredentialDeps } from '../../commands/credentials.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import type { Limits } from '../../limits.ts';
import type { Logger } from '../../logger.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import { credentialRoutes } from '../credentials/credentialRoutes.ts';
import { proxyTrust } from '../server/clientAddress.ts';
import type { Route } from '../server/route.ts';
import type { IdentitySettings } from '../signIn/identity.ts';
import { linkRoute } from '../signIn/linkRoute.ts';
import { oidcRoutes } from '../signIn/oidcRoutes.ts';
import { IdentityProvider, type ProviderSettings } from '../signIn/provider.ts';
import { ProviderSignOut } from '../signIn/providerSignOut.ts';
import { sessionRoutes } from '../signIn/sessionRoutes.ts';
import { userRoutes } from '../signIn/userRoutes.ts';
import { Authentication } from './authentication.ts';
import { CredentialDirectory } from './credentialDirectory.ts';
import { OpenAccess } from './openAccess.ts';
import { type OutsideIssuerSettings, outsideIssuer } from './outsideIssuer.ts';
import { SessionCookie } from './sessionCookie.ts';
import { WrongCredentialThrottle } from './throttle.ts';
import { tokenRoutes } from './tokenRoutes.ts';
import { Tokens } from './tokens.ts';

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
