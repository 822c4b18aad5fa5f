import { ApiError } from '../../api/errors.ts';
import { getJson, send } from '../../api/request.ts';
import type { CredentialResource, Role } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { shortId } from '../../parts/CopyText.tsx';

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

/** With the fewest rights first. */
export const ROLES: readonly Role[] = ['user', 'gateway', 'auditor', 'admin'];

export const issue = (draft: CredentialDraft) => send<IssuedCredential>('POST', CREDENTIALS, { body: draft });

export const rotate = (id: string) => send<IssuedCredential>('POST', `${CREDENTIALS}/${id}/rotate`);

export const revoke = (id: string) => send<void>('DELETE', `${CREDENTIALS}/${id}`);

export const KIND_NAMES: Readonly<Record<CredentialResource['kind'], string>> = { 'api-key': 'API key', client: 'Client' };

/** Labels of the credentials that issued these, by their ids. Revoked ones have none. */
export const useIssuers = (credentials: readonly CredentialResource[]): ReadonlyMap<string, string> => {
  const keys = credentials.filter(({ issuerName }) => issuerName === undefined);
  const ids = [...new Set(keys.map(({ issuedBy }) => issuedBy))].filter((id) => IS_ID.test(id));
  const { data } = useResource({
    key: ids.join(),
    load: async (signal) => {
      const found = await Promise.all(
        ids.map((id) =>
          getJson<CredentialResource>(`${CREDENTIALS}/${id}`, { signal }).catch((error: unknown) => {
            if (error instanceof ApiError && error.status === 404) return null;
            throw error;
          }),
        ),
      );
      return new Map(found.flatMap((one) => (one && one.label !== null ? [[one.id, one.label] as const] : [])));
    },
  });
  return data ?? NONE;
};

const NONE: ReadonlyMap<string, string> = new Map();
const IS_ID = /^[0-9a-f]{8}-/;

/** An issuer without a label. */
export const nameOfIssuer = (issuedBy: string): string => {
  if (issuedBy === 'bootstrap') return 'the first start';
  return IS_ID.test(issuedBy) ? `${shortId(issuedBy)} (revoked)` : issuedBy;
};
