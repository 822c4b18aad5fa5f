import { describe, expect, test } from 'vitest';
import type { CredentialsEvent } from '../../../src/domain/credentials/events.ts';
import type { PeopleEvent } from '../../../src/domain/people/events.ts';
import { type CredentialDocument, credentialsProjection } from '../../../src/projections/credentials.ts';
import { type UserDocument, usersProjection } from '../../../src/projections/users.ts';
import { documentsAfter, recorded } from './given.ts';

const identified = (name: string | null): PeopleEvent => ({
  type: 'PersonIdentified',
  data: { personId: 'ada', issuer: 'https://login', name, email: name, claimedRole: null, defaultRole: 'user' },
});
const issued = (label: string | null): CredentialsEvent => ({
  type: 'CredentialIssued',
  // An erased member reads as null.
  data: {
    ...{ credentialId: 'c', subject: 'ada', kind: 'api-key', role: 'user', clientId: null },
    label: label as string,
    secretHash: 'h',
    expiresTimestamp: null,
  },
});
const started = (device: string | null): CredentialsEvent => ({
  type: 'SessionStarted',
  data: { credentialId: 's', subject: 'ada', personId: 'ada', device, role: 'user', secretHash: 'h' },
});

const story = (text: string | null) =>
  recorded(['person-ada', identified(text)], ['credentials-ada', issued(text)], ['credentials-ada', started(text)]);

describe('an owner whose library someone works with', () => {
  const linked: PeopleEvent = { type: 'PersonLinked', data: { personId: 'bob', subject: 'ada', previousSubject: 'bob', disabled: false } };
  const disabled: PeopleEvent = { type: 'PersonDisabled', data: { personId: 'bob', subject: 'ada' } };
  const enabled: PeopleEvent = { ...disabled, type: 'PersonEnabled' };
  const known = ['credentials-ada', issued('key')] as const;
  const of = (name: string, ...events: PeopleEvent[]) => events.map((event) => [`person-${name}`, event] as const);

  test.each([
    ['is hidden behind a person', of('bob', linked), true],
    ['is listed if the person is disabled', of('bob', linked, disabled), false],
    ['is hidden again once the person is enabled', of('bob', linked, disabled, enabled), true],
    ['is listed if the person was disabled before', of('bob', { type: 'PersonLinked', data: { ...linked.data, disabled: true } }), false],
    ['is listed if the owner signs in', [...of('bob', linked), ...of('ada', identified('Ada'))], false],
    ['is listed if the owner had signed in', [...of('ada', identified('Ada')), ...of('bob', linked)], false],
  ])('%s', (_what, events, hidden) => {
    expect(documentsAfter(usersProjection, recorded(known, ...events)).get('ada')?.body).toMatchObject({ hidden, linkedBy: ['bob'] });
  });
});

test('redacts users and credentials to what a rebuild makes of their erased events', () => {
  // The projections wrote these documents.
  const bodies = <Doc>(projection: Parameters<typeof documentsAfter>[0], text: string | null) =>
    [...documentsAfter(projection, story(text)).values()].map(({ body }) => body as unknown as Doc);
  expect(bodies<UserDocument>(usersProjection, 'Ada').map((document) => usersProjection.personal?.redact(document))).toEqual(
    bodies(usersProjection, null),
  );
  expect(
    bodies<CredentialDocument>(credentialsProjection, 'Ada').map((document) => credentialsProjection.personal?.redact(document)),
  ).toEqual(bodies(credentialsProjection, null));
});
