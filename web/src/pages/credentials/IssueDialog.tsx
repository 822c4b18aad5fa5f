import { useState } from 'preact/hooks';
import type { Role } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { ErrorNote } from '../../parts/Notes.tsx';
import { type CredentialDraft, type IssuedCredential, issue } from './credentials.ts';

const KINDS = [
  ['api-key', 'API key'],
  ['client', 'Client'],
] as const;

const KIND_HINTS: Readonly<Record<string, string>> = {
  'api-key': 'One secret, sent as it is.',
  client: 'An id and a secret, exchanged for access tokens.',
};

const ROLES = ['user', 'gateway', 'auditor', 'admin'] as const satisfies readonly Role[];

const ROLE_HINTS: Readonly<Record<string, string>> = {
  user: 'Works with streams, templates and webhooks of its owner.',
  gateway: 'As a user, and may cancel any stream.',
  auditor: 'As a user, and reads the event log.',
  admin: 'May do everything, and issues credentials.',
};

interface IssueDialogProps {
  /** Whose credentials are being looked at; a new one is proposed for the same owner. */
  readonly subject: string | null;
  readonly onIssued: (credential: IssuedCredential) => void;
  readonly onClose: () => void;
}

/** Asks for what a new credential is for. */
export const IssueDialog = ({ subject: given, onIssued, onClose }: IssueDialogProps) => {
  const [label, setLabel] = useState('');
  const [kind, setKind] = useState<string>('api-key');
  const [role, setRole] = useState<string>('user');
  const [subject, setSubject] = useState(given ?? '');
  const [expires, setExpires] = useState('');
  const { busy, error, run } = useAction(async () => onIssued(await issue(draftOf({ label, kind, role, subject, expires }))));
  return (
    <Dialog title="Issue credential" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField label="Label" value={label} onInput={setLabel} required hint="What it is for: “Reception desk”, “nightly import”." />
        <SelectField label="Kind" value={kind} onChange={setKind} options={KINDS} hint={KIND_HINTS[kind]} />
        <SelectField
          label="Role"
          value={role}
          onChange={setRole}
          options={ROLES.map((one) => [one, one] as const)}
          hint={ROLE_HINTS[role]}
        />
        <TextField
          label="Owner"
          value={subject}
          onInput={setSubject}
          placeholder="A new owner"
          hint="Subject id of who owns what is done with it. Empty: a new user, with nothing yet."
        />
        <TextField label="Expires" type="date" value={expires} onInput={setExpires} hint="Its last day. Empty: never." />
        {error && <ErrorNote error={error} />}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            Issue
          </button>
        </div>
      </form>
    </Dialog>
  );
};

interface Given {
  readonly label: string;
  readonly kind: string;
  readonly role: string;
  readonly subject: string;
  readonly expires: string;
}

/** Kind and role come from the lists above. The day ends where the reader is. */
const draftOf = ({ label, kind, role, subject, expires }: Given): CredentialDraft => ({
  label: label.trim(),
  kind: kind as CredentialDraft['kind'],
  role: role as Role,
  ...(subject.trim() === '' ? {} : { subject: subject.trim() }),
  ...(expires === '' ? {} : { expiresTimestamp: new Date(`${expires}T23:59:59`).toISOString() }),
});
