import { randomUUID } from 'node:crypto';
import { type Clock, isoTime } from '../clock.ts';
import * as decide from '../domain/credentials/decisions.ts';
import { isCredentialsEvent, type Role } from '../domain/credentials/events.ts';
import type { Credential, CredentialsAggregate } from '../domain/credentials/state.ts';
import type { Position } from '../stores/eventStore.ts';
import { BOOTSTRAP_SUBJECT, type CredentialDeps, handleCredentials, hashSecret, makeSecret } from './credentials.ts';
import type { AppendContext } from './handle.ts';

const LINK_MILLISECONDS = 900_000;

/** A secret that is shown once: the token of a sign-in link, or of a session's cookie. */
export interface MadeToken {
  readonly token: string;
  readonly position: Position | null;
}

/** The owner and the device of a new session. */
interface SessionOwner {
  readonly subject: string;
  /** `null` for a session that a sign-in link starts. */
  readonly personId: string | null;
  readonly device: string;
  readonly role: Role;
}

/** A sign-in link of the installation's own administrator. It works once, for 15 minutes. */
export const makeSignInLink = async (deps: CredentialDeps & { readonly clock: Clock }, context: AppendContext): Promise<MadeToken> => {
  const token = makeSecret(deps);
  const data = {
    credentialId: randomUUID(),
    subject: BOOTSTRAP_SUBJECT,
    role: 'admin' as const,
    secretHash: hashSecret(token),
    expiresTimestamp: isoTime(deps.clock.now() + LINK_MILLISECONDS),
  };
  const { position } = await handleCredentials(deps, BOOTSTRAP_SUBJECT, () => decide.makeLink(data), context);
  return { token, position };
};

/** Starts a session with a valid link and uses the link up, in one step. `null` if another request was first. */
export const startLinkedSession = async (
  deps: CredentialDeps,
  { credentialId: linkId, subject, role }: Pick<Credential, 'credentialId' | 'subject' | 'role'>,
  device: string,
  context: AppendContext,
): Promise<MadeToken | null> => {
  const token = makeSecret(deps);
  const session = sessionOf({ subject, personId: null, device, role }, token);
  const { position } = await handleCredentials(deps, subject, (state) => decide.useLink(state, linkId, session), context);
  return position === null ? null : { token, position };
};

/** Starts a session of a person whose identity provider vouched for them. */
export const startSession = async (deps: CredentialDeps, owner: SessionOwner, context: AppendContext): Promise<MadeToken> => {
  const token = makeSecret(deps);
  const session = sessionOf(owner, token);
  const { position } = await handleCredentials(deps, owner.subject, () => decide.startSession(session), context);
  return { token, position };
};

export interface Revoked {
  /** Ids of the credentials. */
  readonly revoked: readonly string[];
  /** Of the last event; `null` if nothing was appended. */
  readonly position: Position | null;
}

/** Revokes the valid credentials of a subject that match. */
export const revokeMatching = async (
  deps: CredentialDeps,
  subject: string,
  matches: (credential: Credential) => boolean,
  reason: string,
  context: AppendContext,
): Promise<Revoked> => {
  const decideOn = (state: CredentialsAggregate) => decide.revokeMatching(state, matches, reason);
  const { events, position } = await handleCredentials(deps, subject, decideOn, context);
  return { revoked: events.filter(isCredentialsEvent).map(({ data }) => data.credentialId), position };
};

const sessionOf = (owner: SessionOwner, token: string) => ({ ...owner, credentialId: randomUUID(), secretHash: hashSecret(token) });
