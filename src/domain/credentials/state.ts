import type { CredentialKind, CredentialsEvent } from './events.ts';

type Data<Type extends CredentialsEvent['type']> = Extract<CredentialsEvent, { type: Type }>['data'];

export type Issued = Data<'CredentialIssued'>;

export type SessionStart = Data<'SessionStarted'>;
export type LinkMade = Data<'SignInLinkMade'>;

export interface Credential extends Omit<Issued, 'label' | 'kind' | 'personId'> {
  kind: CredentialKind | 'link' | 'session';
  /** `null` after the subject's erasure. */
  label: string | null;
  generation: number;
  createdTimestamp: string;
  revokedTimestamp: string | null;
  /** The person who signed in, or who issued it for themself. */
  personId?: string | null;
  /** Only of a session. */
  device?: string | null;
}

/** All credentials of one subject, in order of issue. Plain JSON. */
export interface CredentialsAggregate {
  credentials: Credential[];
}

const withNew = (
  { credentials }: CredentialsAggregate,
  data: Omit<Credential, 'generation' | 'createdTimestamp' | 'revokedTimestamp'>,
  time: string,
): CredentialsAggregate => ({ credentials: [...credentials, { ...data, generation: 1, createdTimestamp: time, revokedTimestamp: null }] });

const withCredential = (
  { credentials }: CredentialsAggregate,
  credentialId: string,
  change: Partial<Credential>,
): CredentialsAggregate => ({
  credentials: credentials.map((credential) => (credential.credentialId === credentialId ? { ...credential, ...change } : credential)),
});

/** Folds an event onto a subject's credentials. `time` is the event's, ISO 8601. Pure. */
export const evolveCredentials = (state: CredentialsAggregate, event: CredentialsEvent, time: string): CredentialsAggregate => {
  switch (event.type) {
    case 'CredentialIssued':
      return withNew(state, event.data, time);
    case 'SignInLinkMade':
      return withNew(state, { ...event.data, kind: 'link', label: 'Sign-in link', clientId: null }, time);
    case 'SessionStarted':
      return withNew(state, { ...event.data, kind: 'session', label: 'Session', clientId: null, expiresTimestamp: null }, time);
    case 'CredentialRotated': {
      const { credentialId, secretHash, generation } = event.data;
      return withCredential(state, credentialId, { secretHash, generation });
    }
    case 'CredentialRevoked':
      return withCredential(state, event.data.credentialId, { revokedTimestamp: time });
    default:
      return event satisfies never;
  }
};

export const credentialsDecider = { initialState: (): CredentialsAggregate => ({ credentials: [] }), evolve: evolveCredentials };
