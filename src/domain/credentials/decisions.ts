import { notFound, Problem } from '../problem.ts';
import type { CredentialsEvent, Role } from './events.ts';
import type { Credential, CredentialsAggregate, Issued, LinkMade, SessionStart } from './state.ts';

export const findCredential = ({ credentials }: CredentialsAggregate, credentialId: string): Credential | undefined =>
  credentials.find((credential) => credential.credentialId === credentialId);

/** The command chooses the id, so an existing id means that the command was repeated. */
export const issueCredential = (state: CredentialsAggregate, data: Issued): readonly CredentialsEvent[] =>
  findCredential(state, data.credentialId) ? [] : [{ type: 'CredentialIssued', data }];

/** A person issues a key of their own: only while their session lasts, and with a role that the session has. 403 otherwise. */
export const issueOwnCredential = (state: CredentialsAggregate, sessionId: string, data: Issued): readonly CredentialsEvent[] => {
  const session = findCredential(state, sessionId);
  if (session?.kind !== 'session' || session.revokedTimestamp !== null)
    throw new Problem('GENERAL_AUTHORIZATION_ERROR', 'Sign in to issue keys of your own, or ask an administrator for one.');
  if (!covers(session.role, data.role))
    throw new Problem('GENERAL_AUTHORIZATION_ERROR', `Your role is ${session.role}. Choose it or the role user.`);
  const { personId = null } = session;
  return issueCredential(state, { ...data, ...(personId !== null && { personId }) });
};

/** Whether someone with the first role may have a credential with the second. */
export const covers = (role: Role | null, other: Role): boolean =>
  role !== null && (role === 'admin' || other === 'user' || other === role);

export const makeLink = (data: LinkMade): readonly CredentialsEvent[] => [{ type: 'SignInLinkMade', data }];

export const startSession = (data: SessionStart): readonly CredentialsEvent[] => [{ type: 'SessionStarted', data }];

/** Starts a session and uses the link up. No event if it was used before. */
export const useLink = (state: CredentialsAggregate, linkId: string, data: SessionStart): readonly CredentialsEvent[] => {
  const used = revokeCredential(state, linkId, 'It was used');
  return used.length === 0 ? [] : [...used, ...startSession(data)];
};

/** Ends those that are valid and match. */
export const revokeMatching = (
  { credentials }: CredentialsAggregate,
  matches: (credential: Credential) => boolean,
  reason: string,
): readonly CredentialsEvent[] =>
  credentials
    .filter((credential) => credential.revokedTimestamp === null && matches(credential))
    .map(({ credentialId }) => ({ type: 'CredentialRevoked', data: { credentialId, reason } }));

/** 404 for an unknown or revoked credential. */
export const rotateCredential = (state: CredentialsAggregate, credentialId: string, secretHash: string): readonly CredentialsEvent[] => {
  const credential = findCredential(state, credentialId);
  if (!credential || credential.revokedTimestamp !== null) throw notFound('credential');
  return [{ type: 'CredentialRotated', data: { credentialId, secretHash, generation: credential.generation + 1 } }];
};

/** 404 for an unknown credential; no event if it is already revoked. */
export const revokeCredential = (state: CredentialsAggregate, credentialId: string, reason: string): readonly CredentialsEvent[] => {
  const credential = findCredential(state, credentialId);
  if (!credential) throw notFound('credential');
  return credential.revokedTimestamp === null ? [{ type: 'CredentialRevoked', data: { credentialId, reason } }] : [];
};

/**
 * Restores a credential named by the configuration if it is missing, revoked or changed. `idOf(n)` gives the id of its n-th incarnation: revoked ids
 * are never reused, so tokens made with them stay invalid.
 */
export const keepBootstrap = (
  state: CredentialsAggregate,
  wanted: Omit<Issued, 'credentialId'>,
  idOf: (life: number) => string,
): readonly CredentialsEvent[] => {
  let life = 1;
  while (findCredential(state, idOf(life + 1))) life++;
  const newest = findCredential(state, idOf(life));
  if (!newest) return [{ type: 'CredentialIssued', data: { ...wanted, credentialId: idOf(1) } }];
  const next: CredentialsEvent = { type: 'CredentialIssued', data: { ...wanted, credentialId: idOf(life + 1) } };
  if (newest.revokedTimestamp !== null) return [next];
  if (newest.clientId !== wanted.clientId) {
    return [
      { type: 'CredentialRevoked', data: { credentialId: newest.credentialId, reason: 'The configuration names another client id' } },
      next,
    ];
  }
  return newest.secretHash === wanted.secretHash ? [] : rotateCredential(state, newest.credentialId, wanted.secretHash);
};
