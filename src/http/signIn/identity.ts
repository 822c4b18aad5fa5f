import { highestRole } from '../../domain/credentials/caller.ts';
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

/** The person of the provider's claims. With `allowedDomains`, only people with a verified e-mail address of these domains are allowed. */
export const identityOf = (claims: Claims, settings: IdentitySettings): { identified: Identified; isAllowed: boolean } => {
  const { issuer, allowedDomains, defaultRole } = settings;
  const email = textOf(claims.email);
  const name = textOf(claims.name) ?? textOf(claims.preferred_username) ?? email ?? 'Person';
  const personId = personIdOf(issuer, claims.sub);
  const identified = { personId, issuer, name, email, claimedRole: claimedRole(claims, settings), defaultRole };
  const domain = verifiedDomain(claims);
  return { identified, isAllowed: allowedDomains.length === 0 || (domain !== null && allowedDomains.includes(domain)) };
};

/** The text behind the last @: the part before it may contain another one. */
const verifiedDomain = ({ email, email_verified: isVerified }: Claims): string | null =>
  isVerified === true && typeof email === 'string' ? (email.split('@').at(-1)?.toLowerCase() ?? null) : null;

const MAX_CHARACTERS = 255;

const textOf = (claim: unknown): string | null => (typeof claim === 'string' && claim !== '' ? claim.slice(0, MAX_CHARACTERS) : null);

const claimedRole = (claims: Claims, { rolesClaim, rolesMap }: IdentitySettings): Role | null => {
  const named = [claimAt(claims, rolesClaim)].flat();
  const roles = named.flatMap((name) => (typeof name === 'string' && Object.hasOwn(rolesMap, name) ? (rolesMap[name] ?? []) : []));
  return highestRole(roles);
};
