import type { Role } from '../../domain/credentials/events.ts';
import type { Identified } from '../../domain/people/state.ts';
import { claimAt, personIdOf } from '../auth/outsideIssuer.ts';
import type { Claims } from './provider.ts';

export interface IdentitySettings {
  readonly issuer: string;
  /** Dotted path of the claim with the names in the map. */
  readonly rolesClaim: string;
  readonly rolesMap: Readonly<Record<string, Role>>;
  /** `null`: people without another role are refused. */
  readonly defaultRole: Role | null;
  /** Domains of e-mail addresses, in lower case; empty for all. */
  readonly allowedDomains: readonly string[];
}

/** Who signs in, by the claims of the provider. Not allowed if the domain of the e-mail address is not, or if the address is not verified. */
export const identityOf = (claims: Claims, settings: IdentitySettings): { identified: Identified; isAllowed: boolean } => {
  const { issuer, allowedDomains, defaultRole } = settings;
  const email = textOf(claims.email);
  const name = textOf(claims.name) ?? textOf(claims.preferred_username) ?? email ?? 'Person';
  const domain = claims.email_verified === true ? String(claims.email).split('@').at(-1)?.toLowerCase() : undefined;
  const identified = {
    ...{ personId: personIdOf(issuer, claims.sub), issuer, name, email, claimedRole: claimedRole(claims, settings), defaultRole },
  };
  return {
    identified,
    isAllowed: allowedDomains.length === 0 || (domain !== undefined && allowedDomains.includes(domain)),
  };
};

const MAX_CHARACTERS = 255;

const textOf = (claim: unknown): string | null => (typeof claim === 'string' && claim !== '' ? claim.slice(0, MAX_CHARACTERS) : null);

/** With the most rights first. */
const RANKED: readonly Role[] = ['admin', 'auditor', 'gateway', 'user'];

const claimedRole = (claims: Claims, { rolesClaim, rolesMap }: IdentitySettings): Role | null => {
  const named = [claimAt(claims, rolesClaim)].flat();
  const roles = named.flatMap((name) => (typeof name === 'string' && Object.hasOwn(rolesMap, name) ? (rolesMap[name] ?? []) : []));
  return RANKED.find((role) => roles.includes(role)) ?? null;
};
