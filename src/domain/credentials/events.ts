import * as s from '../../schema.ts';
import { type EventOf, event, guardOf, personalOfOldEvents } from '../eventForms.ts';

export type Role = 'user' | 'gateway' | 'auditor' | 'admin';
export type CredentialKind = 'client' | 'api-key';

/** The events of one subject's credentials. Event stream `credentials-<subject>`. Secrets appear as hex SHA-256 only. */
export const CREDENTIALS_EVENTS = {
  CredentialIssued: event(
    s.object({
      credentialId: s.id,
      subject: s.id,
      kind: s.oneOf('client', 'api-key'),
      label: personalOfOldEvents(s.text),
      role: s.oneOf('user', 'gateway', 'auditor', 'admin'),
      /** `null` for an API key. */
      clientId: s.nullable(s.text),
      secretHash: s.sha256,
      expiresTimestamp: s.nullable(s.text),
    }),
  ),
  /** Also invalidates tokens of older generations. Generations count from 1. */
  CredentialRotated: event(s.object({ credentialId: s.id, secretHash: s.sha256, generation: s.ordinal })),
  CredentialRevoked: event(s.object({ credentialId: s.id, reason: s.text })),
};

export type CredentialsEvent = EventOf<typeof CREDENTIALS_EVENTS>;
export const CREDENTIALS_EVENT_TYPES: readonly string[] = Object.keys(CREDENTIALS_EVENTS);
export const isCredentialsEvent = guardOf(CREDENTIALS_EVENTS);

export const credentialsEventStream = (subject: string): string => `credentials-${subject}`;
