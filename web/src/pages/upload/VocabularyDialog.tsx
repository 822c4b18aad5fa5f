import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { LinesField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { removeVocabulary, saveVocabulary, type Vocabulary } from './vocabularies.ts';

interface VocabularyDialogProps {
  /** `null`: a new one. */
  readonly vocabulary: Vocabulary | null;
  /** Gets the name that the vocabulary has now; `null`: it was deleted. */
  readonly onSaved: (name: string | null) => void;
  readonly onClose: () => void;
}

/** The form of a saved vocabulary. */
export const VocabularyDialog = ({ vocabulary, onSaved, onClose }: VocabularyDialogProps) => {
  const [name, setName] = useState(vocabulary?.name ?? '');
  const [terms, setTerms] = useState<readonly string[]>(vocabulary?.terms ?? []);
  const [replacements, setReplacements] = useState<readonly string[]>(
    Object.entries(vocabulary?.replacements ?? {}).map(([heard, written]) => `${heard} = ${written}`),
  );
  const wrong = replacements.find((line) => !/^[^=]*[^=\s][^=]*=/.test(line));
  const { busy, error, run } = useAction(async () => {
    const saved = await saveVocabulary({
      ...(vocabulary && { id: vocabulary.id }),
      name: name.trim(),
      terms,
      replacements: Object.fromEntries(replacements.map(pairOf)),
    });
    announce('Vocabulary saved');
    onSaved(saved.name);
    onClose();
  });
  return (
    <FormDialog
      title={vocabulary ? `Vocabulary ${vocabulary.name}` : 'New vocabulary'}
      submit="Save"
      disabled={busy || name.trim() === '' || wrong !== undefined}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
      actions={
        vocabulary && (
          <ConfirmButton
            label="Delete"
            danger
            onConfirm={async () => {
              await removeVocabulary(vocabulary.id);
              announce('Vocabulary deleted');
              onSaved(null);
              onClose();
            }}
          >
            Deletes the vocabulary. Streams keep the content with which they began.
          </ConfirmButton>
        )
      }
    >
      <TextField label="Name" value={name} onInput={setName} required placeholder="Such as Products" />
      <LinesField label="Words" lines={terms} onInput={setTerms} hint="One word or phrase on each line." />
      <LinesField
        label="Replacements"
        lines={replacements}
        onInput={setReplacements}
        hint="What the engine writes = what replaces it, such as: tribute airy = Tributary. Works with every engine."
        error={wrong === undefined ? undefined : `“${wrong}” needs the form: heard = written.`}
      />
    </FormDialog>
  );
};

const pairOf = (line: string): readonly [string, string] => {
  const at = line.indexOf('=');
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
};
