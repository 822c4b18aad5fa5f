import { useState } from 'preact/hooks';
import type { Template } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { type Change, Differences } from '../../parts/Differences.tsx';
import { CheckField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { type Patches, PatchForm } from '../../parts/PatchForm.tsx';
import { isAdmin } from '../../shell/session.ts';
import { changesBetween, patch } from './templates.ts';

interface PatchDialogProps {
  readonly template: Template;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Changes settings of a template, after a look at the result. Patching a built-in template makes a private copy, unless an admin changes it for everybody. */
export const PatchDialog = ({ template, onSaved, onClose }: PatchDialogProps) => {
  const [patches, setPatches] = useState<Patches>({});
  const [changes, setChanges] = useState<readonly Change[] | null>(null);
  const [everybody, setEverybody] = useState(false);
  const scope = everybody ? 'builtin' : undefined;
  const isEmpty = Object.keys(patches).length === 0;
  const look = useAction(async () => setChanges(changesBetween(template, await patch(template.id, patches, true, scope))));
  const save = useAction(async () => {
    await patch(template.id, patches, false, scope);
    onSaved();
  });
  return (
    <FormDialog
      title={`Settings of ${template.name}`}
      wide
      submit="Save"
      disabled={isEmpty || save.busy}
      error={look.error ?? save.error}
      onSubmit={() => void save.run()}
      onClose={onClose}
      actions={
        <button type="button" class="button" disabled={isEmpty || look.busy} onClick={() => void look.run()}>
          Preview
        </button>
      }
    >
      {template.origin === 'built-in' && (
        <p class="quiet">
          {everybody
            ? 'Saving changes the built-in template for all users who have no copy of it.'
            : 'This is a built-in template. Saving creates your own copy, which your uploads use from then on.'}
        </p>
      )}
      {template.origin === 'built-in' && isAdmin.value && (
        <CheckField label="Change it for all users" checked={everybody} onChange={setEverybody} />
      )}
      <PatchForm
        template={template}
        patches={patches}
        onChange={(next) => {
          setPatches(next);
          setChanges(null);
        }}
      />
      {changes && <Differences changes={changes} />}
    </FormDialog>
  );
};
