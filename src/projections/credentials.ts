import { CREDENTIALS_EVENT_TYPES, isCredentialsEvent } from '../domain/credentials/events.ts';
import { type Credential, evolveCredentials } from '../domain/credentials/state.ts';
import type { Projection } from './projection.ts';

/** One credential, revoked ones included. */
export interface CredentialDocument extends Credential {
  revoked: boolean;
  /** Who issued it, as the event's `actor`. */
  issuedBy: string;
  /** Of the last event of `credentials-<subject>` that touched it. */
  revision: string;
}

/** Found by id, by `clientId`, by `secretHash`; listed newest first, of a `subject`, of who issued them, or all, with or without the revoked ones. */
export const credentialsProjection: Projection<CredentialDocument> = {
  name: 'credentials',
  version: 2,
  indexes: [
    ['clientId'],
    ['secretHash'],
    ['subject', 'createdTimestamp'],
    ['subject', 'revoked', 'createdTimestamp'],
    ['createdTimestamp'],
    ['issuedBy', 'revoked', 'createdTimestamp'],
    ['revoked', 'createdTimestamp'],
  ],
  handles: CREDENTIALS_EVENT_TYPES,
  personal: { owner: 'subject', redact: (document) => (document.label === null ? document : { ...document, label: null }) },
  idsOf: (event) => (isCredentialsEvent(event) ? [event.data.credentialId] : []),
  evolve: (document, event) => {
    if (!isCredentialsEvent(event)) return document;
    const before = { credentials: document ? [document] : [] };
    const [credential] = evolveCredentials(before, event, event.metadata.time).credentials;
    // A change of a credential whose issue was skipped on purpose has nothing to change.
    if (!credential) return null;
    const issuedBy = document?.issuedBy ?? event.metadata.actor;
    return { ...credential, issuedBy, revoked: credential.revokedTimestamp !== null, revision: String(event.revision) };
  },
};
