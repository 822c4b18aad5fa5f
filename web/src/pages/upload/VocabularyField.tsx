import type { Json } from '../../api/types.ts';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import { chosenIn, type Vocabulary, vocabularyOf } from './vocabularies.ts';

interface VocabularyFieldProps {
  readonly value: Json | undefined;
  readonly saved: readonly Vocabulary[];
  readonly onChange: (value: Json | undefined) => void;
  /** Opens the form of a saved vocabulary, or of a new one. */
  readonly onEdit: (vocabulary: Vocabulary | null) => void;
}

/** Words that the recording has: saved vocabularies by name, and words for this upload alone. */
export const VocabularyField = ({ value, saved, onChange, onEdit }: VocabularyFieldProps) => {
  const chosen = chosenIn(value);
  const isChosen = (name: string) => chosen.saved.some((one) => one.toLowerCase() === name.toLowerCase());
  const toggle = (name: string) => (isOn: boolean) => {
    const others = chosen.saved.filter((one) => one.toLowerCase() !== name.toLowerCase());
    onChange(vocabularyOf({ ...chosen, saved: isOn ? [...others, name] : others }));
  };
  return (
    <fieldset class="vocabularies">
      <legend>Vocabulary</legend>
      {saved.map((one) => (
        <div key={one.id} class="vocabulary">
          <CheckField label={one.name} hint={contentOf(one)} checked={isChosen(one.name)} onChange={toggle(one.name)} />
          <button type="button" class="button" aria-label={`Edit ${one.name}`} onClick={() => onEdit(one)}>
            Edit
          </button>
        </div>
      ))}
      <TextField
        label="Words to expect"
        value={chosen.words}
        onInput={(words) => onChange(vocabularyOf({ ...chosen, words }))}
        hint="Names and terms, separated by commas. Whisper models and speech servers use them."
      />
      <button type="button" class="button" onClick={() => onEdit(null)}>
        New vocabulary
      </button>
    </fieldset>
  );
};

const contentOf = ({ terms, replacements }: Vocabulary): string =>
  [counted(terms.length, 'word'), counted(Object.keys(replacements).length, 'replacement')].join(', ');
