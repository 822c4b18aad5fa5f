import { useState } from 'preact/hooks';
import type { Role } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { Note } from '../../parts/Notes.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { session } from '../../shell/session.ts';
import { ROLES } from '../credentials/credentials.ts';
import { changeUser, type User } from './users.ts';

const BY_SETTINGS = '';
const CHOICES = [[BY_SETTINGS, 'As the settings say'] as const, ...ROLES.map((role) => [role, role] as const)];

interface UserDialogProps {
  readonly user: User;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes a person's role, whether they may sign in, and whose library they work with. */
export const UserDialog = ({ user, onChanged, onClose }: UserDialogProps) => {
  const given = user.chosenRole ?? BY_SETTINGS;
  const [role, setRole] = useState<string>(given);
  const [isDisabled, setDisabled] = useState(user.disabled);
  const [subject, setSubject] = useState(user.subject === user.id ? '' : user.subject);
  const { busy, error, run } = useAction(async () => {
    // The role comes from the list above.
    const chosen = role === BY_SETTINGS ? null : (role as Role);
    await changeUser(user.id, { ...(role !== given && { role: chosen }), disabled: isDisabled, subject: subject.trim() || user.id });
    announce('User changed');
    onChanged();
  });
  return (
    <FormDialog
      title={`Change ${user.name ?? 'user'}`}
      submit="Save"
      disabled={busy}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {user.roleSource === 'claim' ? (
        <>
          <p>
            Role: {user.role}. <span class="quiet">Your identity provider gives it; change it there.</span>
          </p>
          {given !== BY_SETTINGS && (
            <CheckField
              label={`Take back the role ${given}`}
              checked={role === BY_SETTINGS}
              onChange={(isTaken) => setRole(isTaken ? BY_SETTINGS : given)}
              hint="An administrator chose it. It counts again when the identity provider gives none."
            />
          )}
        </>
      ) : (
        <SelectField label="Role" value={role} onChange={setRole} options={CHOICES} />
      )}
      <TextField
        label="Works with the library of"
        value={subject}
        onInput={setSubject}
        placeholder="Their own"
        hint="Owner id of someone who has streams already, from this page or from Credentials. Leave empty for their own library."
      />
      <CheckField
        label="Disabled"
        checked={isDisabled}
        onChange={setDisabled}
        hint="Cannot sign in. Sessions end and keys are revoked, for good."
      />
      {session.value?.caller.subject === user.subject && <Note tone="warn">This may be you. A change signs you out.</Note>}
      <p class="quiet">A change of role or library ends the sessions of this person. They sign in again.</p>
    </FormDialog>
  );
};
