import { expect, onTestFinished, test } from 'vitest';
import { IdentityProvider, ProviderAway } from '../../../src/http/signIn/provider.ts';
import { OIDC_CLIENT, startIdentityProvider } from '../../fakes/identityProvider.ts';
import { ManualClock } from '../../manualClock.ts';

test('notices a provider that goes away after its addresses were read', async () => {
  const running = await startIdentityProvider();
  onTestFinished(() => running.stop());
  await running.accept('http://tributary.test');
  const clock = new ManualClock();
  const settings = { issuer: running.issuer, clientId: OIDC_CLIENT.id, clientSecret: null, scopes: 'openid', userAgent: 'test' };
  const provider = new IdentityProvider(settings, clock);
  const begin = () => provider.begin('http://tributary.test/sign-in/callback');
  await begin();
  await running.leave();
  await clock.advance(5_000);
  await expect(begin()).rejects.toThrow(ProviderAway);
  await running.back();
  expect((await begin()).url.origin).toBe(running.issuer);
});

test('has no sign-out page where the provider has none, and while it is away', async () => {
  const running = await startIdentityProvider();
  onTestFinished(() => running.stop());
  const clock = new ManualClock();
  const settings = { issuer: running.issuer, clientId: OIDC_CLIENT.id, clientSecret: null, scopes: 'openid', userAgent: 'test' };
  const provider = new IdentityProvider(settings, clock);
  const signOutUrl = async () => (await provider.signOutUrl(null, 'http://tributary.test/'))?.pathname;
  await running.accept('http://tributary.test');
  expect(await signOutUrl()).toBe('/session/end');
  await running.accept('http://tributary.test', { rpInitiatedLogout: { enabled: false } });
  await clock.advance(5_000);
  expect(await signOutUrl()).toBeUndefined();
  await running.leave();
  await clock.advance(5_000);
  expect(await signOutUrl()).toBeUndefined();
});
