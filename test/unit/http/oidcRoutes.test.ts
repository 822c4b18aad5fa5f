import { expect, test } from 'vitest';
import { SessionCookie } from '../../../src/http/auth/sessionCookie.ts';
import { oidcRoutes } from '../../../src/http/signIn/oidcRoutes.ts';
import { ProviderSignOut } from '../../../src/http/signIn/providerSignOut.ts';
import { silentLogger } from '../../../src/logger.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { commandRig } from '../../fakes/commandRig.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { served } from './served.ts';

const URL_HERE = 'http://127.0.0.1:8080';
const SETTINGS = { issuer: 'https://login', rolesClaim: 'roles', rolesMap: {}, defaultRole: 'user', allowedDomains: [] } as const;

test('a sign-in while a store is away ends at the sign-in page with the reason, and can be repeated', async () => {
  const { deps, store, clock } = commandRig();
  const readModels = new MemoryReadModels();
  const flow = { state: 'state', nonce: 'nonce', verifier: 'verifier' };
  const cookie = new SessionCookie(() => URL_HERE);
  // A provider that vouches for everyone.
  const vouched = { claims: { sub: 'ada' }, idToken: '' };
  const provider = { begin: async () => ({ url: new URL('https://login'), flow }), finish: async () => vouched } as never;
  const publicUrl = () => URL_HERE;
  const providerSignOut = new ProviderSignOut(provider, cookie, publicUrl);
  const rest = { settings: SETTINGS, publicUrl, cookie, providerSignOut, readModels, logger: silentLogger };
  const call = await served(oidcRoutes({ ...deps, ...rest, provider }), readModels, clock);
  const signIn = async () => {
    const started = await call('/sign-in/start?moved=true', 'owner', { redirect: 'manual' });
    const [kept = ''] = started.headers.getSetCookie()[0]?.split(';') ?? [];
    return call('/sign-in/callback?state=state', 'owner', { redirect: 'manual', headers: { cookie: kept } });
  };
  store.beforeAppend = () => {
    throw new StoreUnavailable('away');
  };
  const refused = await signIn();
  expect([refused.status, refused.headers.get('location')]).toEqual([303, '/#/?refused=server-away']);
  store.beforeAppend = () => undefined;
  expect((await signIn()).headers.get('location')).toBe('/#/');
});
