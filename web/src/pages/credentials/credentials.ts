import { send } from '../../api/request.ts';
import type { CredentialResource, Role } from '../../api/types.ts';

export const CREDENTIALS = '/credential-service/api/v1/credentials';

/** The one answer that holds the secret. */
export interface IssuedCredential extends CredentialResource {
  readonly secret: string;
}

export interface CredentialDraft {
  readonly kind: CredentialResource['kind'];
  readonly label: string;
  readonly role: Role;
  readonly subject?: string;
  readonly expiresTimestamp?: string;
}

export const issue = (draft: CredentialDraft) => send<IssuedCredential>('POST', CREDENTIALS, { body: draft });

export const rotate = (id: string) => send<IssuedCredential>('POST', `${CREDENTIALS}/${id}/rotate`);

export const revoke = (id: string) => send<void>('DELETE', `${CREDENTIALS}/${id}`);

export const KIND_NAMES: Readonly<Record<CredentialResource['kind'], string>> = { 'api-key': 'API key', client: 'Client' };
