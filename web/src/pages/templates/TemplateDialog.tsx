import { useState } from 'preact/hooks';
import { useDeclarations } from '../../api/declarations.ts';
import type { Template } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { JsonField } from '../../parts/JsonField.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { type Draft, parsedDraft } from './draft.ts';
import { TemplateForm } from './TemplateForm.tsx';
import { type Scope, save } from './templates.ts';

interface TemplateDialogProps {
  readonly title: string;
  readonly draft: Draft;
  readonly scope?: Scope;
  readonly onSaved: (template: Template) => void;
  readonly onClose: () => void;
}

const VIEWS = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

/** Edits a template as a form or as JSON. Each shows the changes made in the other. */
export const TemplateDialog = ({ title, draft: given, scope, onSaved, onClose }: TemplateDialogProps) => {
  const [view, setView] = useState<'form' | 'json'>('form');
  const [text, setText] = useState(() => JSON.stringify(given, null, 2));
  const declarations = useDeclarations();
  const draft = parsedDraft(text);
  const { busy, error, run } = useAction(async () => draft && onSaved(await save(draft, scope)));
  return (
    <FormDialog title={title} wide submit="Save" disabled={busy || !draft} error={error} onSubmit={() => void run()} onClose={onClose}>
      <fieldset class="switch">
        <legend class="visually-hidden">Edit as</legend>
        {VIEWS.map(([value, label]) => (
          <label key={value}>
            {/* The form cannot show what is not JSON. */}
            <input type="radio" name="view" checked={view === value} disabled={!draft} onChange={() => setView(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      {view === 'form' && draft ? (
        <Loaded resource={declarations}>
          {(known) => <TemplateForm draft={draft} declarations={known} onChange={(changed) => setText(JSON.stringify(changed, null, 2))} />}
        </Loaded>
      ) : (
        <JsonField
          label="Template as JSON"
          hint="With the id of one of your templates, saving replaces it. Without an id, saving creates a template."
          value={text}
          onInput={setText}
          rows={18}
        />
      )}
    </FormDialog>
  );
};
