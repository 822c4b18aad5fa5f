import { CREDENTIAL_ROLES, type Role } from './events.ts';

/** The authenticated caller. */
export interface Caller {
  /** Owner id, written as `creatorId`. */
  readonly subject: string;
  /** The credential's id, or `jwt:<issuer>` for a token of an outside issuer. Recorded as the `actor` of events. */
  readonly actor: string;
  readonly roles: readonly Role[];
}

/** The role with the most rights; `null` for an empty list. */
export const highestRole = (roles: readonly Role[]): Role | null => CREDENTIAL_ROLES.findLast((role) => roles.includes(role)) ?? null;

export const hasRole = (caller: Caller, ...roles: readonly Role[]): boolean => roles.some((role) => caller.roles.includes(role));
