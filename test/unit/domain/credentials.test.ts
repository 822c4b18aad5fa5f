import { describe, expect, test } from 'vitest';
import {
  issueCredential,
  issueOwnCredential,
  keepBootstrap,
  revokeCredential,
  rotateCredential,
  useLink,
} from '../../../src/domain/credentials/decisions.ts';
import type { CredentialsEvent } from '../../../src/domain/credentials/events.ts';
import { type CredentialsAggregate, credentialsDecider, evolveCredentials } from '../../../src/domain/credentials/state.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { OWNER } from '../../fakes/streamStory.ts';

const time = (i: number): string => `2026-01-01T00:00:0${i}.000Z`;
const given = (...events: CredentialsEvent[]): CredentialsAggregate =>
  events.reduce((state, event, i) => evolveCredentials(state, event, time(i)), credentialsDecider.initialState());

const facts = {
  subject: OWNER,
  kind: 'client',
  label: 'CI',
  role: 'admin',
  clientId: 'ci',
  secretHash: 'h1',
  expiresTimestamp: null,
} as const;
const issued = (
  credentialId: string,
  changes: Partial<typeof facts> | { clientId?: string; secretHash?: string } = {},
): CredentialsEvent => ({
  type: 'CredentialIssued',
  data: { ...facts, ...changes, credentialId },
});
const rotated = (credentialId: string, secretHash: string, generation: number): CredentialsEvent => ({
  type: 'CredentialRotated',
  data: { credentialId, secretHash, generation },
});
const revoked = (credentialId: string, reason = 'no longer needed'): CredentialsEvent => ({
  type: 'CredentialRevoked',
  data: { credentialId, reason },
});
const session = (credentialId: string, role: 'user' | 'admin' = 'user') => ({
  ...{ credentialId, subject: OWNER, personId: 'ada', device: 'Firefox on Linux', role, secretHash: 'hs' },
});
const started = (credentialId: string, role: 'user' | 'admin' = 'user'): CredentialsEvent => ({
  type: 'SessionStarted',
  data: session(credentialId, role),
});
const linked: CredentialsEvent = {
  type: 'SignInLinkMade',
  data: { credentialId: 'link', subject: OWNER, role: 'admin', secretHash: 'hl', expiresTimestamp: time(9) },
};
const key = { ...facts, kind: 'api-key', clientId: null, credentialId: 'k' } as const;
const OTHER_CLIENT_ID = 'The configuration names another client id';

interface Row {
  promise: string;
  given: CredentialsEvent[];
  when: (state: CredentialsAggregate) => readonly CredentialsEvent[];
  answer: CredentialsEvent[] | { refused: number };
}

const keep =
  (changes: { clientId?: string; secretHash?: string } = {}) =>
  (state: CredentialsAggregate) =>
    keepBootstrap(state, { ...facts, ...changes }, (life) => `boot-${life}`);

const rows: Row[] = [
  { promise: 'a credential is issued', given: [], when: (s) => issueCredential(s, { ...facts, credentialId: 'c' }), answer: [issued('c')] },
  {
    promise: 'a session issues a key, which names its person',
    given: [started('s')],
    when: (s) => issueOwnCredential(s, 's', { ...key, role: 'user' }),
    answer: [{ type: 'CredentialIssued', data: { ...key, role: 'user', personId: 'ada' } }],
  },
  {
    promise: 'a session issues no key with more rights than its own',
    given: [started('s')],
    when: (s) => issueOwnCredential(s, 's', { ...key, role: 'admin' }),
    answer: { refused: 403 },
  },
  {
    promise: 'a session that has ended issues no key',
    given: [started('s', 'admin'), revoked('s')],
    when: (s) => issueOwnCredential(s, 's', key),
    answer: { refused: 403 },
  },
  { promise: 'a key issues no key', given: [issued('c')], when: (s) => issueOwnCredential(s, 'c', key), answer: { refused: 403 } },
  {
    promise: 'a link starts a session and is used up',
    given: [linked],
    when: (s) => useLink(s, 'link', session('s', 'admin')),
    answer: [revoked('link', 'It was used'), started('s', 'admin')],
  },
  {
    promise: 'a link that was used starts no session',
    given: [linked, revoked('link')],
    when: (s) => useLink(s, 'link', session('s', 'admin')),
    answer: [],
  },
  { promise: 'an id is issued once', given: [issued('c')], when: (s) => issueCredential(s, { ...facts, credentialId: 'c' }), answer: [] },
  {
    promise: 'a rotation raises the generation',
    given: [issued('c')],
    when: (s) => rotateCredential(s, 'c', 'h2'),
    answer: [rotated('c', 'h2', 2)],
  },
  {
    promise: 'every rotation does',
    given: [issued('c'), rotated('c', 'h2', 2)],
    when: (s) => rotateCredential(s, 'c', 'h3'),
    answer: [rotated('c', 'h3', 3)],
  },
  { promise: 'an unknown one is not rotated', given: [issued('c')], when: (s) => rotateCredential(s, 'd', 'h2'), answer: { refused: 404 } },
  {
    promise: 'a revoked one is not rotated',
    given: [issued('c'), revoked('c')],
    when: (s) => rotateCredential(s, 'c', 'h2'),
    answer: { refused: 404 },
  },
  {
    promise: 'a credential is revoked',
    given: [issued('c')],
    when: (s) => revokeCredential(s, 'c', 'no longer needed'),
    answer: [revoked('c')],
  },
  {
    promise: 'a credential is revoked once',
    given: [issued('c'), revoked('c')],
    when: (s) => revokeCredential(s, 'c', 'again'),
    answer: [],
  },
  { promise: 'an unknown one is not revoked', given: [], when: (s) => revokeCredential(s, 'c', 'x'), answer: { refused: 404 } },

  { promise: 'a bootstrap credential is made when it is missing', given: [issued('c')], when: keep(), answer: [issued('boot-1')] },
  { promise: 'a bootstrap credential that is there stays', given: [issued('boot-1')], when: keep(), answer: [] },
  {
    promise: 'a revoked bootstrap credential comes back under a new id',
    given: [issued('boot-1'), revoked('boot-1')],
    when: keep(),
    answer: [issued('boot-2')],
  },
  {
    promise: 'and again, and then stays',
    given: [issued('boot-1'), revoked('boot-1'), issued('boot-2'), revoked('boot-2'), issued('boot-3')],
    when: keep(),
    answer: [],
  },
  {
    promise: 'a changed secret is put back as a rotation, so that tokens made with the other die',
    given: [issued('boot-1'), rotated('boot-1', 'h9', 2)],
    when: keep(),
    answer: [rotated('boot-1', 'h1', 3)],
  },
  {
    promise: 'another client id revokes the old one',
    given: [issued('boot-1')],
    when: keep({ clientId: 'other' }),
    answer: [revoked('boot-1', OTHER_CLIENT_ID), issued('boot-2', { clientId: 'other' })],
  },
];

const outcomeOf = (work: () => readonly CredentialsEvent[]): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return { refused: error.statusCode };
    throw error;
  }
};

describe('credential decisions', () => {
  test.each(rows)('$promise', (row) => {
    expect(outcomeOf(() => row.when(given(...row.given)))).toEqual(row.answer);
  });
});

test('keeps the newest secret, the generation, and the times of issue and revocation', () => {
  const { credentials } = given(issued('c'), rotated('c', 'h2', 2), revoked('c'));
  expect(credentials).toEqual([
    { ...facts, credentialId: 'c', secretHash: 'h2', generation: 2, createdTimestamp: time(0), revokedTimestamp: time(2) },
  ]);
});
