import { CREDENTIALS_EVENT_TYPES, isCredentialsEvent } from '../domain/credentials/events.ts';
import { type Credential, evolveCredentials } from '../domain/credentials/state.ts';
import type { Projection } from './projection.ts';

/** One credential, revoked ones included. */
export interface CredentialDocument extends Credential {
  revoked: boolean;
  /** `actor` of the event that issued it. */
  issuedBy: string;
  /** Revision of the last event of `credentials-<subject>` that changed it. */
  revision: string;
}

/** Found by `id`, `clientId` or `secretHash`. Listed newest first: all, by `subject` or by issuer, with or without revoked ones. */
export const credentialsProjection: Projection<CredentialDocument> = {
  name: 'credentials',
  version: 4,
  indexes: [
    ['clientId'],
    ['secretHash'],
    ['subject', 'createdTimestamp'],
    ['subject', 'revoked', 'createdTimestamp'],
    ['subject', 'kind', 'revoked', 'createdTimestamp'],
    ['personId', 'createdTimestamp'],
    ['createdTimestamp'],
    ['issuedBy', 'revoked', 'createdTimestamp'],
    ['revoked', 'createdTimestamp'],
  ],
  handles: CREDENTIALS_EVENT_TYPES,
  personal: {
    owner: 'subject',
    orderedBy: 'createdTimestamp',
    redact: (document) => {
      const { kind, label, device = null } = document;
      if (kind === 'session') return device === null ? document : { ...document, device: null };
      return kind === 'link' || label === null ? document : { ...document, label: null };
    },
  },
  idsOf: (event) => (isCredentialsEvent(event) ? [event.data.credentialId] : []),
  evolve: (document, event) => {
    if (!isCredentialsEvent(event)) return document;
    const before = { credentials: document ? [document] : [] };
    const [credential] = evolveCredentials(before, event, event.metadata.time).credentials;
    // The event that issued it may have been skipped by an operator.
    if (!credential) return null;
    const issuedBy = document?.issuedBy ?? event.metadata.actor;
    return { ...credential, issuedBy, revoked: credential.revokedTimestamp !== null, revision: String(event.revision) };
  },
};
