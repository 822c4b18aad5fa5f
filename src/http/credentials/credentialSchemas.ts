import { CREDENTIAL_KINDS, ROLE } from '../../domain/credentials/events.ts';
import * as s from '../../schema.ts';
import { UUID_PATTERN, UUID_SCHEMA } from '../input/uuid.ts';
import type { BodyExamples } from '../route/route.ts';

/** Means every subject. */
export const EVERYBODY = '*';
export const LISTED_SUBJECT = {
  schema: { type: 'string', pattern: `${UUID_PATTERN}|^\\*$` },
  isId: true,
  description: "Owner of the credentials; `*`: all owners. Default: the caller's, and those that the caller issued.",
} as const;

export const ROLE_SCHEMA = s.named('Role', ROLE);

const CREDENTIAL_PROPERTIES = {
  id: s.text,
  kind: s.named('CredentialKind', s.oneOf(...CREDENTIAL_KINDS)),
  label: s.nullable(s.text),
  role: ROLE_SCHEMA,
  subject: s.described(s.text, 'Owner of everything done with this credential.'),
  clientId: s.described(s.text, 'Only present for clients.'),
  createdTimestamp: s.time,
  expiresTimestamp: s.nullable(s.time),
};
const ISSUED_BY = s.described(s.text, 'Id of the credential that issued it, or the part of the platform, such as `bootstrap`.');
const ISSUER_NAME = s.described(s.nullable(s.text), 'Only present if a person issued it in the dashboard: their name. Null once erased.');
const ALWAYS = ['id', 'kind', 'label', 'role', 'subject', 'createdTimestamp', 'expiresTimestamp'] as const;
const LAST_USED = s.described(
  s.nullable(s.time),
  'Minute in which it was last accepted. Null: never, or before this version. Written once a minute: a crash may lose the last one, and a restored backup has none.',
);
export const CREDENTIAL = s.named(
  'Credential',
  s.partial({ ...CREDENTIAL_PROPERTIES, issuedBy: ISSUED_BY, issuerName: ISSUER_NAME, lastUsedTimestamp: LAST_USED }, [
    ...ALWAYS,
    'issuedBy',
    'lastUsedTimestamp',
  ]),
);
export const ISSUED = s.named(
  'IssuedCredential',
  s.partial({ ...CREDENTIAL_PROPERTIES, secret: s.described(s.text, 'Shown only in this answer.') }, [...ALWAYS, 'secret']),
);

export const WANTED = {
  title: 'CredentialDraft',
  type: 'object',
  required: ['kind', 'label', 'role'],
  additionalProperties: false,
  properties: {
    kind: CREDENTIAL_PROPERTIES.kind,
    label: { type: 'string', minLength: 1, maxLength: 255 },
    role: CREDENTIAL_PROPERTIES.role,
    subject: {
      ...UUID_SCHEMA,
      type: ['string', 'null'],
      description: 'Owner of everything done with this credential. Default: a new subject.',
    },
    expiresTimestamp: { type: ['string', 'null'], format: 'date-time' },
  },
} as const;

export const EXAMPLES: BodyExamples = {
  apiKey: { summary: 'An API key for a new user', value: { kind: 'api-key', label: 'Reception desk', role: 'user' } },
};

const SESSION = s.named('CallerSession', s.resource({ id: s.text, name: s.described(s.nullable(s.text), 'Of the person.') }));

export const SELF = {
  title: 'Caller',
  type: 'object',
  required: ['subject', 'roles', 'credential'],
  properties: {
    subject: { type: 'string' },
    roles: { type: 'array', items: CREDENTIAL_PROPERTIES.role },
    credential: s.described(s.nullable(CREDENTIAL), "Null for a session and for an outside issuer's token."),
    session: s.described(SESSION, 'Only present for a person who is signed in to the dashboard.'),
  },
};
