import { notFound } from '../problem.ts';
import type { CredentialsEvent } from './events.ts';
import type { Credential, CredentialsAggregate, Issued } from './state.ts';

export const findCredential = ({ credentials }: CredentialsAggregate, credentialId: string): Credential | undefined =>
  credentials.find((credential) => credential.credentialId === credentialId);

/** The command chooses the id, so an existing id means that the command was repeated. */
export const issueCredential = (state: CredentialsAggregate, data: Issued): readonly CredentialsEvent[] =>
  findCredential(state, data.credentialId) ? [] : [{ type: 'CredentialIssued', data }];

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
