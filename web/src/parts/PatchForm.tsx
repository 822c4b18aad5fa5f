import type { Json, JsonSchema, Template, TemplateProcessor } from '../api/types.ts';
import { type PatchField, type PatchGroup, patchGroups } from './patchFields.ts';
import { SchemaField } from './SchemaField.tsx';

/** Patches by alias or path. Unchanged settings are not among them. */
export type Patches = Readonly<Record<string, Json>>;

interface PatchFormProps {
  readonly template: Template;
  readonly patches: Patches;
  readonly onChange: (patches: Patches) => void;
  /** Ids of the processors to show. Default: all. */
  readonly only?: ReadonlySet<string>;
}

/** The options of a template: a part for each processor, made from its JSON Schema and its aliases. */
export const PatchForm = ({ template, patches, onChange, only }: PatchFormProps) => (
  <>
    {template.processors
      .filter(({ id }) => only?.has(id) ?? true)
      .map((processor) => (
        <ProcessorOptions key={processor.id} template={template} processor={processor} patches={patches} onChange={onChange} />
      ))}
  </>
);

interface ProcessorOptionsProps extends Omit<PatchFormProps, 'only'> {
  readonly processor: TemplateProcessor;
}

const ProcessorOptions = ({ template, processor, patches, onChange }: ProcessorOptionsProps) => {
  const groups = patchGroups(template, processor);
  if (groups.length === 0) return null;
  return (
    <details class="options" open>
      <summary>
        {processor.name} <span class="quiet">{processor.id}</span>
      </summary>
      <div class="options-body">
        {groups.map((group) => (
          <Group key={group.title} group={group} patches={patches} onChange={onChange} />
        ))}
      </div>
    </details>
  );
};

interface GroupProps extends Pick<PatchFormProps, 'patches' | 'onChange'> {
  readonly group: PatchGroup;
}

const Group = ({ group: { title, lead, fields }, patches, onChange }: GroupProps) => {
  const currentOf = ({ key, value }: PatchField) => patches[key] ?? value;
  const control = (field: PatchField, label = field.label, schema = field.schema) => (
    <SchemaField
      key={field.key}
      label={label}
      schema={schema}
      value={currentOf(field)}
      onChange={(value) => onChange(withPatch(patches, field, value))}
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

/** Without its description: the title of the group says as much. */
const bare = ({ description: _said, ...schema }: JsonSchema): JsonSchema => schema;

/** What is as in the template needs no patch; nor does a field that was emptied again. */
const withPatch = (patches: Patches, { key, value: original }: PatchField, value: Json | undefined): Patches => {
  const { [key]: _before, ...others } = patches;
  const isSame = value === undefined || JSON.stringify(value) === JSON.stringify(original);
  return isSame ? others : { ...others, [key]: value };
};
