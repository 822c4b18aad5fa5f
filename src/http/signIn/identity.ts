import type { Role } from '../../domain/credentials/events.ts';
import type { Identified } from '../../domain/people/state.ts';
import { claimAt, subjectOf } from '../auth/outsideIssuer.ts';
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

/** Who signs in, by the claims of the provider. `null` if the domain of the e-mail address is not allowed, or the address is not verified. */
export const identityOf = (claims: Claims, settings: IdentitySettings): Identified | null => {
  const { issuer, allowedDomains, defaultRole } = settings;
  const email = textOf(claims.email);
  const domain = claims.email_verified === true ? email?.split('@').at(-1)?.toLowerCase() : undefined;
  if (allowedDomains.length > 0 && (domain === undefined || !allowedDomains.includes(domain))) return null;
  const name = textOf(claims.name) ?? textOf(claims.preferred_username) ?? email ?? 'Person';
  return { personId: subjectOf(issuer, claims.sub), issuer, name, email, claimedRole: claimedRole(claims, settings), defaultRole };
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
