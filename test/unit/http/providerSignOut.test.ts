import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { SessionCookie } from '../../../src/http/auth/sessionCookie.ts';
import { ProviderSignOut } from '../../../src/http/signIn/providerSignOut.ts';

const PUBLIC_URL = 'https://tributary.test';

test.each([
  ['hands the ID token back to the provider', 'a-token', 'a-token'],
  ['goes without an ID token that no cookie can hold', 'x'.repeat(4_000), null],
])('%s', async (_, idToken, handed) => {
  const seen: (string | null)[] = [];
  const signOutUrl = async (hint: string | null, returnUri: string) => {
    seen.push(hint);
    return new URL(returnUri);
  };
  const signOut = new ProviderSignOut({ signOutUrl }, new SessionCookie(() => PUBLIC_URL), () => PUBLIC_URL);
  const [cookie = ''] = signOut.keep(idToken).split('; ');
  const incoming = { headers: { cookie } } as IncomingMessage;
  expect((await signOut.urlFor(incoming))?.href).toBe(`${PUBLIC_URL}/`);
  expect(seen).toEqual([handed]);
});
