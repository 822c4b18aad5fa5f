import { useState } from 'preact/hooks';
import type { ProcessorDeclaration } from '../../api/types.ts';
import { ChainPicture } from '../../parts/ChainPicture.tsx';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { chainOfDraft, type Draft, processorsOf, textMember, withAdded, withoutProcessor, withProcessor } from './draft.ts';
import { ProcessorForm } from './ProcessorForm.tsx';

interface TemplateFormProps {
  readonly draft: Draft;
  readonly declarations: readonly ProcessorDeclaration[];
  readonly onChange: (draft: Draft) => void;
}

const SOURCES = [
  ['bytes', 'Bytes (audio, files)'],
  ['string', 'Text'],
] as const;

/** A template as a form: its name, a picture of its chain, and a part for each processor. */
export const TemplateForm = ({ draft, declarations, onChange }: TemplateFormProps) => {
  const known = new Map(declarations.map((one) => [one.id, one]));
  const processors = processorsOf(draft);
  const set = (name: string) => (value: string) => onChange({ ...draft, [name]: value });
  return (
    <div class="stack">
      <div class="option-grid">
        <TextField label="Name" value={textMember(draft, 'name')} onInput={set('name')} required />
        <TextField label="Description" value={textMember(draft, 'description')} onInput={set('description')} />
        <SelectField
          label="Takes"
          value={textMember(draft, 'dataSourceSchema') || 'bytes'}
          options={SOURCES}
          onChange={set('dataSourceSchema')}
        />
      </div>
      <ChainPicture nodes={chainOfDraft(draft, known)} />
      {processors.map((processor, at) => (
        <ProcessorForm
          // The id is being typed, so the place names the processor.
          key={at}
          processor={processor}
          others={processors.filter((_, index) => index !== at).map(({ id }) => id)}
          declarations={known}
          onChange={(change) => onChange(withProcessor(draft, at, change))}
          onRemove={() => onChange(withoutProcessor(draft, at))}
        />
      ))}
      <AddProcessor declarations={declarations} onAdd={(declaration) => onChange(withAdded(draft, declaration))} />
    </div>
  );
};

interface AddProcessorProps {
  readonly declarations: readonly ProcessorDeclaration[];
  readonly onAdd: (declaration: ProcessorDeclaration) => void;
}

const AddProcessor = ({ declarations, onAdd }: AddProcessorProps) => {
  const [id, setId] = useState('');
  const chosen = declarations.find((one) => one.id === id) ?? declarations[0];
  if (!chosen) return null;
  return (
    <div class="actions add-processor">
      <SelectField
        label="Further processor"
        value={chosen.id}
        options={declarations.map((one) => [one.id, one.displayName] as const)}
        onChange={setId}
      />
      <button type="button" class="button" onClick={() => onAdd(chosen)}>
        Add to the chain
      </button>
    </div>
  );
};
