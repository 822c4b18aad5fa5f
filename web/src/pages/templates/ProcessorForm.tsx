import type { ProcessorDeclaration } from '../../api/types.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { PropertyForm } from '../../parts/PropertyForm.tsx';
import type { ProcessorDraft } from './draft.ts';

interface ProcessorFormProps {
  readonly processor: ProcessorDraft;
  /** Ids of the processors that it may read. */
  readonly others: readonly string[];
  readonly declarations: ReadonlyMap<string, ProcessorDeclaration>;
  readonly onChange: (change: Partial<ProcessorDraft>) => void;
  readonly onRemove: () => void;
}

/** One processor of a chain: its kind, its source, its properties and its result. */
export const ProcessorForm = ({ processor, others, declarations, onChange, onRemove }: ProcessorFormProps) => {
  const { id, declarationId, previousProcessorId, properties, sink, persist } = processor;
  const declaration = declarations.get(declarationId);
  const kinds = [...declarations.values()].map((one) => [one.id, one.displayName] as const);
  return (
    <details class="options" open>
      <summary>
        {id || 'Processor'} <span class="quiet">{declaration?.displayName ?? declarationId}</span>
      </summary>
      <div class="options-body">
        <div class="option-grid">
          <SelectField
            label="Processor"
            value={declarationId}
            options={declaration ? kinds : [[declarationId, `${declarationId} (unknown)`], ...kinds]}
            onChange={(chosen) => onChange({ declarationId: chosen })}
            hint={declaration?.description}
          />
          <TextField label="Id in this template" value={id} onInput={(text) => onChange({ id: text })} required />
          <SelectField
            label="Reads"
            value={previousProcessorId ?? ''}
            options={[['', 'The data source'], ...others.map((other) => [other, other] as const)]}
            onChange={(chosen) => onChange({ previousProcessorId: chosen || null })}
          />
        </div>
        {declaration && (
          <PropertyForm
            schema={declaration.propertiesJsonSchema}
            properties={properties}
            onChange={(changed) => onChange({ properties: changed })}
          />
        )}
        <div class="option-grid">
          <CheckField
            label="Offer its result"
            checked={sink}
            onChange={(on) => onChange({ sink: on })}
            hint="The last processor always offers its result."
          />
          <CheckField label="Keep its result for export" checked={persist} onChange={(on) => onChange({ persist: on })} />
        </div>
        <div class="actions">
          <button type="button" class="button danger" onClick={onRemove}>
            Remove {id}
          </button>
        </div>
      </div>
    </details>
  );
};
