import type { Json, JsonSchema } from '../api/types.ts';
import type { PatchField, PatchGroup } from './patchFields.ts';
import { type Refusal, SchemaField } from './SchemaField.tsx';

interface FieldGroupProps {
  readonly group: PatchGroup;
  readonly currentOf: (field: PatchField) => Json | undefined;
  readonly onChange: (field: PatchField, value: Json | undefined) => void;
  /** The values of a field that cannot run. */
  readonly refusalsOf?: (field: PatchField) => readonly Refusal[] | undefined;
}

/** Fields that belong together. Fields that depend on a switch are shown while it is on. */
export const FieldGroup = ({ group: { title, lead, fields }, currentOf, onChange, refusalsOf }: FieldGroupProps) => {
  const control = (field: PatchField, label = field.label, schema = field.schema) => (
    <SchemaField
      key={field.key}
      label={label}
      schema={schema}
      value={currentOf(field)}
      onChange={(value) => onChange(field, value)}
      refusals={refusalsOf?.(field)}
    />
  );
  if (title === '') return <div class="option-grid">{fields.map((field) => control(field))}</div>;
  const isOn = !lead || Boolean(currentOf(lead));
  return (
    <div class="option-set" role="group" aria-label={title}>
      {lead && control(lead, title, lead.schema.type === 'string' ? bare(lead.schema) : lead.schema)}
      {isOn && fields.length > 0 && <div class="option-grid">{fields.map((field) => control(field))}</div>}
    </div>
  );
};

/** Without its description, which would repeat the title of the group. */
const bare = ({ description: _said, ...schema }: JsonSchema): JsonSchema => schema;
