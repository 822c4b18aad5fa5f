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
