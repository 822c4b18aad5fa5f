import { useState } from 'preact/hooks';
import type { JsonObject, Template } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Field } from '../../parts/Field.tsx';
import { ErrorNote } from '../../parts/Notes.tsx';
import { save } from './templates.ts';

interface TemplateDialogProps {
  /** The one to be changed; none: a new one. */
  readonly template?: Template;
  readonly onSaved: (template: Template) => void;
  readonly onClose: () => void;
}

/** A chain that runs, to begin with. */
const EXAMPLE = {
  name: 'My template',
  description: 'Summary of a text',
  dataSourceSchema: 'string',
  processors: [{ id: 'llm', processorDeclarationId: 'llm', properties: { summary: { enabled: true } } }],
};

/** A template as JSON: all that can be said of one. */
export const TemplateDialog = ({ template, onSaved, onClose }: TemplateDialogProps) => {
  const [text, setText] = useState(() => JSON.stringify(template ?? EXAMPLE, null, 2));
  const draft = parsed(text);
  const scope = template?.origin === 'built-in' ? 'builtin' : undefined;
  const { busy, error, run } = useAction(async () => draft && onSaved(await save(draft, scope)));
  return (
    <Dialog title={template ? `Edit ${template.name}${scope ? ' for everybody' : ''}` : 'New template'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field
          label="Template as JSON"
          hint="With the id of an own template it is replaced; without one, or with an empty one, a new template is made."
          error={draft ? undefined : 'This is not a JSON object.'}
        >
          {(ids) => (
            <textarea
              {...ids}
              class="json-editor"
              rows={18}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        {error && <ErrorNote error={error} />}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="button primary" disabled={busy || !draft}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
};

const parsed = (text: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(text);
    // What JSON.parse gives for an object.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
};
