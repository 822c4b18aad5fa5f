import { type EventOf, event, guardOf, id, nullable, object, oneOf, ordinal, personal, sha256, text } from '../eventForms.ts';

export type Role = 'user' | 'gateway' | 'auditor' | 'admin';
export type CredentialKind = 'client' | 'api-key';

/** The events of one subject's credentials. Event stream `credentials-<subject>`. Secrets appear as hex SHA-256 only. */
export const CREDENTIALS_EVENTS = {
  CredentialIssued: event(
    object({
      credentialId: id,
      subject: id,
      kind: oneOf('client', 'api-key'),
      label: personal(text),
      role: oneOf('user', 'gateway', 'auditor', 'admin'),
      /** `null` for an API key. */
      clientId: nullable(text),
      secretHash: sha256,
      expiresTimestamp: nullable(text),
    }),
  ),
  /** Also invalidates tokens of older generations. Generations count from 1. */
  CredentialRotated: event(object({ credentialId: id, secretHash: sha256, generation: ordinal })),
  CredentialRevoked: event(object({ credentialId: id, reason: text })),
};

export type CredentialsEvent = EventOf<typeof CREDENTIALS_EVENTS>;
export const CREDENTIALS_EVENT_TYPES: readonly string[] = Object.keys(CREDENTIALS_EVENTS);
export const isCredentialsEvent = guardOf(CREDENTIALS_EVENTS);

export const credentialsEventStream = (subject: string): string => `credentials-${subject}`;
