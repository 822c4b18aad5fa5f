import type { Json } from '../../api/types.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import type { PatchField } from '../../parts/patchFields.ts';
import type { Refusal } from '../../parts/SchemaField.tsx';
import { isAdmin } from '../../shell/session.ts';

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
      hint={refusals[0] && hintOf(can, refusals[0])}
      onChange={(code) => onChange(code === '' ? undefined : code)}
    />
  );
};

const LIST = new Intl.ListFormat('en');
const MOST_NAMED = 3;

/** The languages that there are, and how to get others: for an administrator, with the command. */
const hintOf = (can: readonly string[], { value, reason }: Refusal): string => {
  const known = can.length > MOST_NAMED ? 'the languages in this list' : LIST.format(can.map(nameOf));
  const others = isAdmin.value ? `For others, such as ${nameOf(String(value))}: ${reason}` : 'Its administrator can add others.';
  return `This server understands ${known}. ${others}`;
};

/** "German" for "de". An unknown code stands for itself. */
const nameOf = (code: string): string => {
  try {
    return NAMES.of(code) ?? code;
  } catch {
    return code;
  }
};
