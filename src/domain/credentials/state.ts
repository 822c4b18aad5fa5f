import type { CredentialsEvent } from './events.ts';

export type Issued = Extract<CredentialsEvent, { type: 'CredentialIssued' }>['data'];

export interface Credential extends Omit<Issued, 'label'> {
  /** `null` after the subject's erasure. */
  label: string | null;
  generation: number;
  createdTimestamp: string;
  revokedTimestamp: string | null;
}

/** All credentials of one subject, in order of issue. Plain JSON. */
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

/** Folds an event onto a subject's credentials. `time` is the event's, ISO 8601. Pure. */
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
    default:
      return event satisfies never;
  }
};

export const credentialsDecider = { initialState: (): CredentialsAggregate => ({ credentials: [] }), evolve: evolveCredentials };
