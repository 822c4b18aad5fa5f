import type { Role } from './events.ts';

/** Who is calling, once a credential has been accepted. */
export interface Caller {
  /** Owner id, written as `creatorId`. */
  readonly subject: string;
  /** The credential's id, or `jwt:<issuer>` for an outside issuer's token. Written as an event's `actor`. */
  readonly actor: string;
  readonly roles: readonly Role[];
}

export const hasRole = (caller: Caller, ...roles: readonly Role[]): boolean => roles.some((role) => caller.roles.includes(role));
