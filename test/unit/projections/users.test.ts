import { expect, test } from 'vitest';
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
