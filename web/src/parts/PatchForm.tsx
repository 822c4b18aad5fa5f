import type { Json, Template, TemplateProcessor } from '../api/types.ts';
import { FieldGroup } from './FieldGroup.tsx';
import { type PatchField, patchGroups } from './patchFields.ts';
import type { Refusal } from './SchemaField.tsx';

/** Patches by alias or path. Unchanged settings are not among them. */
export type Patches = Readonly<Record<string, Json>>;

interface PatchFormProps {
  readonly template: Template;
  readonly patches: Patches;
  readonly onChange: (patches: Patches) => void;
  /** Ids of the processors to show. Default: all. */
  readonly only?: ReadonlySet<string>;
  /** Keys of settings that are shown elsewhere. */
  readonly except?: ReadonlySet<string>;
  /** Values that cannot run, by the key of their field. */
  readonly refusals?: Refusals;
}

export type Refusals = ReadonlyMap<string, readonly Refusal[]>;

/** The options of a template: a part for each processor, made from its JSON Schema and its aliases. */
export const PatchForm = ({ template, only, ...rest }: PatchFormProps) => (
  <>
    {template.processors
      .filter(({ id }) => only?.has(id) ?? true)
      .map((processor) => (
        <ProcessorOptions key={processor.id} template={template} processor={processor} {...rest} />
      ))}
  </>
);

interface ProcessorOptionsProps extends Omit<PatchFormProps, 'only'> {
  readonly processor: TemplateProcessor;
}

const ProcessorOptions = ({ template, processor, patches, onChange, refusals, except = NOTHING }: ProcessorOptionsProps) => {
  const groups = patchGroups(template, processor).flatMap((group) => {
    const isElsewhere = group.lead !== null && except.has(group.lead.key);
    // Its fields say how, so they are shown once it is switched on there.
    if (isElsewhere && !(patches[group.lead.key] ?? group.lead.value)) return [];
    const fields = group.fields.filter(({ key }) => !except.has(key));
    return group.lead === null && fields.length === 0 ? [] : [{ ...group, fields, lead: isElsewhere ? null : group.lead }];
  });
  if (groups.length === 0) return null;
  return (
    <details class="options" open>
      <summary>
        {processor.name} <span class="quiet">{processor.id}</span>
      </summary>
      <div class="options-body">
        {groups.map((group) => (
          <FieldGroup
            key={group.title}
            group={group}
            currentOf={({ key, value }) => patches[key] ?? value}
            refusalsOf={({ key }) => refusals?.get(key)}
            onChange={(field, value) => onChange(withPatch(patches, field, value))}
          />
        ))}
      </div>
    </details>
  );
};

const NOTHING: ReadonlySet<string> = new Set();

/** A value that equals the template's needs no patch, nor does a field that was emptied again. */
export const withPatch = (patches: Patches, { key, value: original }: PatchField, value: Json | undefined): Patches => {
  const { [key]: _before, ...others } = patches;
  const isSame = value === undefined || JSON.stringify(value) === JSON.stringify(original);
  return isSame ? others : { ...others, [key]: value };
};
