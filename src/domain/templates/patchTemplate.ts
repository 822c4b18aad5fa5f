import { Problem } from '../problem.ts';
import { aliasesOf, patchTargets } from './aliases.ts';
import { checkProperties, coerceValue, knownCase, schemaAt } from './coercion.ts';
import { noSuchParameter } from './misspelt.ts';
import { applyToProperties, forbiddenPatch, type RequestedPatch } from './patches.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

/** Limit on patches, because each is looked up in every processor and may move the items of a list. */
const MAX_PATCHES = 1_000;
/** Limit on what all patches write together, as JSON: an alias may stand for a place in every processor, and a value is written to each. */
const MAX_WRITTEN_BYTES = 1_048_576;
/** Looking up one member of a path. */
const SEGMENT_BYTES = 16;

/**
 * Makes a new template with the patches applied in order. A patch must change at least one processor that `mayChange` accepts. `otherNames`: what a
 * misspelt patch may mean besides an alias. Throws STREAM_CONFIGURATION_BAD_PATCH for a forbidden patch, STREAM_CONFIGURATION_BAD_PATCH_ALIAS, or PROCESSOR_PROPERTIES_VALIDATION_ERROR if the result
 * does not match a schema.
 */
export const patchedTemplate = (
  template: StreamConfigurationTemplate,
  patches: readonly RequestedPatch[],
  mayChange: (processorId: string) => boolean = () => true,
  otherNames: readonly string[] = [],
): StreamConfigurationTemplate => {
  if (patches.length === 0) return template;
  if (patches.length > MAX_PATCHES)
    throw new Problem('STREAM_CONFIGURATION_BAD_PATCH', `${patches.length} patches are too many: at most ${MAX_PATCHES} at a time.`);
  const processors = [...template.processors];
  const changed = new Set<TemplateProcessor>();
  const inKnownCase = knownCase();
  let written = 0;
  for (const patch of patches) {
    const targets = patchTargets(template, patch.path);
    if (targets.length === 0) throw forbiddenPatch(patch.path, [noSuchParameter(patch.path, [...aliasesOf(template), ...otherNames])]);
    if (!targets.some(({ processor }) => mayChange(template.processors[processor]?.id ?? ''))) throw forbiddenPatch(patch.path);
    const bytes = patch.value === undefined ? 0 : Buffer.byteLength(JSON.stringify(patch.value));
    for (const { processor: index, members } of targets) {
      written += bytes + members.length * SEGMENT_BYTES;
      if (written > MAX_WRITTEN_BYTES) throw tooMuchWritten();
      const copy = ownCopy(processors, index, changed);
      const schema = schemaAt(copy.processorDeclaration.propertiesJsonSchema, members);
      const given = patch.coerce && patch.value !== undefined ? coerceValue(patch.value, schema) : patch.value;
      const value = given === undefined ? undefined : inKnownCase(given, schema);
      if (!applyToProperties(copy.properties, members, patch.op, value)) throw forbiddenPatch(patch.path);
    }
  }
  for (const processor of changed) checkProperties(processor);
  return { ...template, processors };
};

const tooMuchWritten = (): Problem =>
  new Problem(
    'STREAM_CONFIGURATION_BAD_PATCH',
    'The patches write more than 1 MiB into the processors together. Use fewer or smaller ones.',
  );

/** The processor to change, copied before its first change, with its properties deeply copied. */
const ownCopy = (processors: TemplateProcessor[], index: number, changed: Set<TemplateProcessor>): TemplateProcessor => {
  const processor = processors[index];
  if (!processor) throw new Error(`no processor ${index}`);
  if (changed.has(processor)) return processor;
  const copy = { ...processor, properties: structuredClone(processor.properties) };
  processors[index] = copy;
  changed.add(copy);
  return copy;
};
