import { expect, test } from 'vitest';
import { identityOf } from '../../../src/http/signIn/identity.ts';

const SETTINGS = {
  issuer: 'https://login',
  rolesClaim: 'roles',
  rolesMap: {},
  defaultRole: 'user',
  allowedDomains: ['example.com'],
} as const;

test('judges the domain of a long e-mail address by all of it', () => {
  const email = `${'a'.repeat(243)}@example.com.evil.example`;
  expect(identityOf({ sub: 'eve', email, email_verified: true }, SETTINGS).isAllowed).toBe(false);
  const long = `${'a'.repeat(300)}@example.com`;
  expect(identityOf({ sub: 'ada', email: long, email_verified: true }, SETTINGS).isAllowed).toBe(true);
});
