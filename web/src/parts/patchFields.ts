import type { Json, JsonObject, JsonSchema, Template, TemplateProcessor } from '../api/types.ts';
import { titleOf } from './SchemaField.tsx';

/** A setting of a processor that an upload may change. */
export interface PatchField {
  /** The name of the patch: the alias, or the path if there is no alias. */
  readonly key: string;
  /** Member names from the properties down. */
  readonly path: readonly string[];
  readonly label: string;
  readonly schema: JsonSchema;
  /** As the template has it. */
  readonly value: Json | undefined;
}

/** Fields that belong together: `summary` with its length and tone. */
export interface PatchGroup {
  /** Empty for fields without a group. */
  readonly title: string;
  /** The field that the others depend on. They are hidden while it is off or empty. */
  readonly lead: PatchField | null;
  readonly fields: readonly PatchField[];
}

/** All settings of a processor that an upload may change: the members of its schema, named by alias or path. */
export const patchGroups = (template: Template, processor: TemplateProcessor): readonly PatchGroup[] =>
  fieldGroups(
    processor.processorDeclaration.propertiesJsonSchema,
    processor.properties,
    (path) => aliasOf(template, processor, path) ?? ['processors', processor.id, 'properties', ...path].join('/'),
  );

/** The same as one list, of all processors. */
export const patchFields = (template: Template): readonly PatchField[] =>
  template.processors
    .flatMap((processor) => patchGroups(template, processor))
    .flatMap(({ lead, fields }) => (lead ? [lead, ...fields] : fields));

/** The members of a schema with their values. `keyOf` names each. */
export const fieldGroups = (
  schemaOfAll: JsonSchema,
  properties: JsonObject,
  keyOf: (path: readonly string[]) => string,
): readonly PatchGroup[] => {
  const groups = new Map<string, { path: readonly string[]; field: PatchField }[]>();
  for (const [path, schema] of leavesOf(schemaOfAll)) {
    const group = path[0] === 'askAnything' ? path.slice(0, 2).join(' ') : path.length > 1 ? (path[0] ?? '') : '';
    const field: PatchField = {
      key: keyOf(path),
      path,
      label: schema.title ?? titleOf(path.at(-1) ?? ''),
      schema,
      value: valueAt(properties, path),
    };
    groups.set(group, [...(groups.get(group) ?? []), { path, field }]);
  }
  return [...groups].map(([name, members]) => {
    const lead = name === '' ? undefined : members.find(({ path }) => LEADS.has(path.at(-1) ?? ''));
    return {
      title: groupTitle(name),
      lead: lead?.field ?? null,
      fields: members.filter((member) => member !== lead).map(({ field }) => field),
    };
  });
};

const LEADS: ReadonlySet<string> = new Set(['enabled', 'content']);

const groupTitle = (name: string): string => {
  const [, number] = /^askAnything (\d+)$/.exec(name) ?? [];
  return number === undefined ? titleOf(name) : `Question ${Number(number) + 1}`;
};

/** The members that hold values, in the order of the schema. */
const leavesOf = (schema: JsonSchema, path: readonly string[] = []): [readonly string[], JsonSchema][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    member.properties ? leavesOf(member, [...path, name]) : [[[...path, name], member] satisfies [readonly string[], JsonSchema]],
  );

const segmentsOf = (pointer: string): readonly string[] =>
  (pointer.includes('/') ? pointer.split('/') : pointer.split('.')).filter(Boolean);

const aliasOf = (template: Template, processor: TemplateProcessor, path: readonly string[]): string | null => {
  const wanted = ['properties', ...path].join('/');
  const own = Object.entries(processor.patchAliases).find(([, pointer]) => segmentsOf(pointer).join('/') === wanted);
  const index = template.processors.indexOf(processor);
  const ofTemplate = Object.entries(template.patchAliases).find(([, pointer]) => {
    const [, name, ...rest] = segmentsOf(pointer);
    return (name === processor.id || name === String(index)) && rest.join('/') === wanted;
  });
  return own?.[0] ?? ofTemplate?.[0] ?? null;
};

const valueAt = (properties: JsonObject, path: readonly string[]): Json | undefined => {
  let at: Json | undefined = properties;
  for (const step of path) at = typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as JsonObject)[step] : undefined;
  return at;
};
