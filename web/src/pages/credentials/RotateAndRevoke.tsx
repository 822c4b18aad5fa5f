import type { ComponentChildren } from 'preact';
import type { CredentialResource } from '../../api/types.ts';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { type IssuedCredential, revoke, rotate } from './credentials.ts';

export interface Changes {
  readonly onRotated: (credential: IssuedCredential) => void;
  readonly onRevoked: () => void;
}

interface RotateAndRevokeProps extends Changes {
  readonly credential: CredentialResource;
  /** Shown above the consequences. */
  readonly warning?: ComponentChildren;
}

/** The actions on a credential in a list. */
export const RotateAndRevoke = ({ credential: { id, label }, warning, onRotated, onRevoked }: RotateAndRevokeProps) => (
  <div class="actions">
    <ConfirmButton label="Rotate" onConfirm={async () => onRotated(await rotate(id))}>
      {warning}
      <p>“{label}” gets a new secret, which is shown once. The old secret and every token made with it stop working at once.</p>
    </ConfirmButton>
    <ConfirmButton
      label="Revoke"
      danger
      onConfirm={async () => {
        await revoke(id);
        announce('Credential revoked');
        onRevoked();
      }}
    >
      {warning}
      <p>“{label}” and every token made with it stop working within a second. This cannot be undone.</p>
    </ConfirmButton>
  </div>
);
