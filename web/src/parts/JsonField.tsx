import type { ComponentChildren } from 'preact';
import { Field } from './Field.tsx';
import { jsonDraft } from './jsonDraft.ts';

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly hint?: ComponentChildren;
  readonly rows?: number;
}

/** JSON as text, with the line of its first error. */
export const JsonField = ({ label, value, onInput, hint, rows = 6 }: JsonFieldProps) => (
  <Field label={label} hint={hint} error={jsonDraft(value).problem ?? undefined}>
    {(ids) => (
      <textarea
        {...ids}
        class="json-editor"
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);
