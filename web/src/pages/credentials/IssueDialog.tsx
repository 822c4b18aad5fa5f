import { useState } from 'preact/hooks';
import type { Role } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { type CredentialDraft, type IssuedCredential, issue, ROLES } from './credentials.ts';

const KINDS = [
  ['api-key', 'API key'],
  ['client', 'Client'],
] as const;

const KIND_HINTS: Readonly<Record<string, string>> = {
  'api-key': 'One secret, sent as it is.',
  client: 'An id and a secret, exchanged for access tokens.',
};

const ROLE_HINTS: Readonly<Record<string, string>> = {
  user: 'Works with the streams, templates and webhooks of its owner.',
  gateway: 'Like user, and may cancel any stream.',
  auditor: 'Like user, and reads the event log.',
  admin: 'May do everything, and issues credentials.',
};

interface IssueDialogProps {
  /** Proposed owner; `null`: a new one. */
  readonly subject: string | null;
  /** A user makes an API key of their own, with one of these roles. */
  readonly ownRoles?: readonly Role[];
  readonly onIssued: (credential: IssuedCredential) => void;
  readonly onClose: () => void;
}

/** Asks for the settings of a new credential. */
export const IssueDialog = ({ subject: given, ownRoles, onIssued, onClose }: IssueDialogProps) => {
  const [label, setLabel] = useState('');
  const [kind, setKind] = useState<string>('api-key');
  const [role, setRole] = useState<string>('user');
  const [subject, setSubject] = useState(given ?? '');
  const [expires, setExpires] = useState('');
  const { busy, error, run } = useAction(async () => onIssued(await issue(draftOf({ label, kind, role, subject, expires }))));
  return (
    <FormDialog
      title={ownRoles ? 'New API key' : 'Issue credential'}
      submit={ownRoles ? 'Make key' : 'Issue'}
      disabled={busy}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <TextField label="Label" value={label} onInput={setLabel} required hint="What it is for: “Reception desk”, “nightly import”." />
      {!ownRoles && <SelectField label="Kind" value={kind} onChange={setKind} options={KINDS} hint={KIND_HINTS[kind]} />}
      <SelectField
        label="Role"
        value={role}
        onChange={setRole}
        options={(ownRoles ?? ROLES).map((one) => [one, one] as const)}
        hint={ROLE_HINTS[role]}
      />
      {!ownRoles && (
        <TextField
          label="Owner"
          value={subject}
          onInput={setSubject}
          placeholder="A new user"
          hint="Id of the owner of everything that this credential does. Leave empty to create a new user."
        />
      )}
      <TextField
        label="Expires"
        type="date"
        value={expires}
        onInput={setExpires}
        hint="Last day on which it works. Leave empty if it never expires."
      />
    </FormDialog>
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
