import type { Json } from '../../api/types.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import type { PatchField } from '../../parts/patchFields.ts';
import type { Refusal } from '../../parts/SchemaField.tsx';

interface LanguageFieldProps {
  readonly field: PatchField;
  readonly value: Json | undefined;
  /** The languages that this server cannot run. */
  readonly refusals: readonly Refusal[];
  readonly onChange: (value: Json | undefined) => void;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** The language of the speech: those that this server can run, and how to get more. */
export const LanguageField = ({ field: { schema, value: original }, value, refusals, onChange }: LanguageFieldProps) => {
  const known = (schema.examples ?? []).map(String);
  const can = known.filter((code) => !refusals.some((refusal) => refusal.value === code));
  const now = typeof value === 'string' ? value : '';
  // Templates of users may take any language.
  if (known.length === 0) return <TextField label="Language" value={now} onInput={(text) => onChange(text === '' ? undefined : text)} />;
  const options = [...new Set([...can, ...(now === '' ? [] : [now])])].map((code) => [code, nameOf(code)] as const);
  const [only] = can.length === 1 ? can : [];
  return (
    <SelectField
      label="Language"
      value={now}
      options={
        only !== undefined && (now === '' || now === only)
          ? [[now, nameOf(only)]]
          : [...(original === undefined ? [['', 'As spoken'] as const] : []), ...options.toSorted(([, a], [, b]) => a.localeCompare(b))]
      }
      hint={refusals[0] && `Others, such as ${nameOf(String(refusals[0].value))}, cannot run here: ${refusals[0].reason}`}
      onChange={(code) => onChange(code === '' ? undefined : code)}
    />
  );
};

/** "German" for "de". An unknown code stands for itself. */
const nameOf = (code: string): string => {
  try {
    return NAMES.of(code) ?? code;
  } catch {
    return code;
  }
};
