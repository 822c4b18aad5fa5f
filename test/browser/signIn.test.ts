import { OIDC_CLIENT, startIdentityProvider } from '../fakes/identityProvider.ts';
import { inBrowser } from './inBrowser.ts';
import { type Provider, signInStories } from './stories/signIn.ts';

let provider: Provider;

inBrowser('signing in with the organisation in a browser:', (site) => signInStories(site, () => provider), {
  environment: async () => {
    provider = await startIdentityProvider();
    return {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: OIDC_CLIENT.id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      OIDC_DEFAULT_ROLE: 'user',
    };
  },
  others: () => [provider.issuer],
});
