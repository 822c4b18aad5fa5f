import { send } from '../../api/request.ts';
import type { Role } from '../../api/types.ts';

export const USERS = '/credential-service/api/v1/users';

export interface User {
  readonly id: string;
  /** `owner`: of credentials, and never signed in. */
  readonly kind: 'person' | 'owner';
  /** Owner of what the user does. */
  readonly subject: string;
  /** Name of the owner whom the person is linked to. */
  readonly ownerName: string | null;
  /** Names of the other people who are linked to the subject. */
  readonly others: readonly string[];
  /** `null` once erased. */
  readonly name: string | null;
  readonly email: string | null;
  /** `null`: may not sign in, or has no credential. */
  readonly role: Role | null;
  readonly roleSource: 'claim' | 'administrator' | 'settings' | null;
  /** Role that an administrator chose, also while one of the identity provider counts. */
  readonly chosenRole: Role | null;
  readonly disabled: boolean;
  readonly createdTimestamp: string;
  readonly lastUsedTimestamp: string | null;
  readonly streams: number;
  readonly keptBytes: number;
  /** Decimal text. */
  readonly creditsOfMonth: string;
}

interface UserChange {
  /** `null`: the role of the settings. */
  readonly role?: Role | null;
  readonly disabled?: boolean;
  readonly subject?: string;
}

export const changeUser = (id: string, change: UserChange) => send<void>('PATCH', `${USERS}/${id}`, { body: change });
