import { notFound } from '../problem.ts';

export type Role = 'user' | 'gateway' | 'auditor' | 'admin';
export type CredentialKind = 'client' | 'api-key';

/** The story of one subject's credentials. Event stream `credentials-<subject>`. Secrets appear as hex SHA-256 only. */
export type CredentialsEvent =
  | {
      type: 'CredentialIssued';
      data: {
        credentialId: string;
        subject: string;
        kind: CredentialKind;
        label: string;
        role: Role;
        /** `null` for an API key. */
        clientId: string | null;
        secretHash: string;
        expiresTimestamp: string | null;
      };
    }
  /** Tokens made from an older generation stop working too. Generations count from 1. */
  | { type: 'CredentialRotated'; data: { credentialId: string; secretHash: string; generation: number } }
  | { type: 'CredentialRevoked'; data: { credentialId: string; reason: string } };

export const credentialsEventStream = (subject: string): string => `credentials-${subject}`;

const EVENT_TYPES: Readonly<Record<CredentialsEvent['type'], true>> = {
  CredentialIssued: true,
  CredentialRotated: true,
  CredentialRevoked: true,
};

export const CREDENTIALS_EVENT_TYPES: readonly string[] = Object.keys(EVENT_TYPES);

/** Whether an event of the log is one of a subject's credentials. Its data were checked against the type's schema when it was appended. */
export const isCredentialsEvent = <T extends { type: string; data: object }>(event: T): event is T & CredentialsEvent =>
  Object.hasOwn(EVENT_TYPES, event.type);

export interface Credential {
  credentialId: string;
  subject: string;
  kind: CredentialKind;
  /** `null` once the subject has been erased. */
  label: string | null;
  role: Role;
  clientId: string | null;
  secretHash: string;
  generation: number;
  createdTimestamp: string;
  expiresTimestamp: string | null;
  revokedTimestamp: string | null;
}

/** All credentials of one subject, in the order of their issue. Plain JSON. */
export interface CredentialsAggregate {
  credentials: Credential[];
}

const withCredential = (
  { credentials }: CredentialsAggregate,
  credentialId: string,
  change: Partial<Credential>,
): CredentialsAggregate => ({
  credentials: credentials.map((credential) => (credential.credentialId === credentialId ? { ...credential, ...change } : credential)),
});

/** What an event does to a subject's credentials. `time` is that of the event, ISO 8601. Pure. */
export const evolveCredentials = (state: CredentialsAggregate, event: CredentialsEvent, time: string): CredentialsAggregate => {
  switch (event.type) {
    case 'CredentialIssued': {
      const issued: Credential = { ...event.data, generation: 1, createdTimestamp: time, revokedTimestamp: null };
      return { credentials: [...state.credentials, issued] };
    }
    case 'CredentialRotated': {
      const { credentialId, secretHash, generation } = event.data;
      return withCredential(state, credentialId, { secretHash, generation });
    }
    case 'CredentialRevoked':
      return withCredential(state, event.data.credentialId, { revokedTimestamp: time });
    default: {
      const never: never = event;
      return never;
    }
  }
};

export const credentialsDecider = { initialState: (): CredentialsAggregate => ({ credentials: [] }), evolve: evolveCredentials };

type Issued = Extract<CredentialsEvent, { type: 'CredentialIssued' }>['data'];

export const findCredential = ({ credentials }: CredentialsAggregate, credentialId: string): Credential | undefined =>
  credentials.find((credential) => credential.credentialId === credentialId);

/** Ids are made by the command: an id that is there already is a repeat. */
export const issueCredential = (state: CredentialsAggregate, data: Issued): readonly CredentialsEvent[] =>
  findCredential(state, data.credentialId) ? [] : [{ type: 'CredentialIssued', data }];

/** 404 for a credential that is unknown or revoked. */
export const rotateCredential = (state: CredentialsAggregate, credentialId: string, secretHash: string): readonly CredentialsEvent[] => {
  const credential = findCredential(state, credentialId);
  if (!credential || credential.revokedTimestamp !== null) throw notFound('credential');
  return [{ type: 'CredentialRotated', data: { credentialId, secretHash, generation: credential.generation + 1 } }];
};

/** 404 for an unknown one; nothing when it is revoked already. */
export const revokeCredential = (state: CredentialsAggregate, credentialId: string, reason: string): readonly CredentialsEvent[] => {
  const credential = findCredential(state, credentialId);
  if (!credential) throw notFound('credential');
  return credential.revokedTimestamp === null ? [{ type: 'CredentialRevoked', data: { credentialId, reason } }] : [];
};

/**
 * A credential that the configuration names, put back when it is missing, revoked or changed. `idOf(n)` names its n-th life: a revoked id is
 * never used again, so that tokens made from it stay dead.
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
