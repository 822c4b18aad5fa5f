import { useState } from 'preact/hooks';
import type { Json } from '../../api/types.ts';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import { chosenIn, hasAt, isSameName, vocabularyOf, wordsIn } from './chosenWords.ts';
import type { Vocabulary } from './vocabularies.ts';

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
  const [text, setText] = useState(chosen.words.join(', '));
  const isChosen = (name: string) => chosen.saved.some((one) => isSameName(one, name));
  const toggle = (name: string) => (isOn: boolean) => {
    const others = chosen.saved.filter((one) => !isSameName(one, name));
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
        value={text}
        onInput={(typed) => {
          setText(typed);
          onChange(vocabularyOf({ ...chosen, words: wordsIn(typed) }));
        }}
        error={hasAt(text) ? 'Leave the @ out.' : undefined}
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
