import * as s from '../../schema.ts';
import { type EventOf, event, guardOf, personal, personalOfOldEvents } from '../eventForms.ts';

/** With the fewest rights first. */
export const CREDENTIAL_ROLES = ['user', 'gateway', 'auditor', 'admin'] as const;
export type Role = (typeof CREDENTIAL_ROLES)[number];
/** Kinds that callers issue and list: neither sessions nor sign-in links. */
export const CREDENTIAL_KINDS = ['client', 'api-key'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export const ROLE = s.oneOf(...CREDENTIAL_ROLES);

/** The events of one subject's credentials. Event stream `credentials-<subject>`. Secrets appear as hex SHA-256 only. */
export const CREDENTIALS_EVENTS = {
  CredentialIssued: event(
    s.object(
      {
        credentialId: s.id,
        subject: s.id,
        kind: s.oneOf(...CREDENTIAL_KINDS),
        label: personalOfOldEvents(s.text),
        role: ROLE,
        /** `null` for an API key. */
        clientId: s.nullable(s.text),
        secretHash: s.sha256,
        expiresTimestamp: s.nullable(s.text),
      },
      {
        /** The person who issued it for themself. */
        personId: s.id,
      },
    ),
  ),
  /** Also invalidates tokens of older generations. Generations count from 1. */
  CredentialRotated: event(s.object({ credentialId: s.id, secretHash: s.sha256, generation: s.ordinal })),
  CredentialRevoked: event(s.object({ credentialId: s.id, reason: s.text })),
  /** A link that starts one session. Using it revokes it. */
  SignInLinkMade: event(s.object({ credentialId: s.id, subject: s.id, role: ROLE, secretHash: s.sha256, expiresTimestamp: s.text })),
  /** Someone signed in to the dashboard. The secret is the token of the session's cookie. */
  SessionStarted: event(
    s.object({
      credentialId: s.id,
      subject: s.id,
      /** `null` for a session that a sign-in link started. */
      personId: s.nullable(s.id),
      /** Browser and system. */
      device: personal(s.text),
      role: ROLE,
      secretHash: s.sha256,
    }),
  ),
};

export type CredentialsEvent = EventOf<typeof CREDENTIALS_EVENTS>;
export const CREDENTIALS_EVENT_TYPES: readonly string[] = Object.keys(CREDENTIALS_EVENTS);
export const isCredentialsEvent = guardOf(CREDENTIALS_EVENTS);

export const credentialsEventStream = (subject: string): string => `credentials-${subject}`;
