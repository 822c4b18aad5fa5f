import { weightOf } from '../../weight.ts';
import { Problem } from '../problem.ts';
import { patchTargets } from './aliases.ts';
import { checkProperties, coerceValue, knownCase, schemaAt } from './coercion.ts';
import { applyToProperties, forbiddenPatch, type RequestedPatch } from './patches.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

/** Limit on patches, because each is looked up in every processor and may move the items of a list. */
const MAX_PATCHES = 1_000;
/** Limit on what all patches write together: an alias may stand for a place in every processor, and a value is written to each. */
const MAX_WRITTEN_BYTES = 4_194_304;
/** Looking up one member of a path. */
const SEGMENT_BYTES = 64;

/**
 * Makes a new template with the patches applied in order, and yields between its steps: thirty thousand writes take a tenth of a second. A patch must change
 * at least one processor that `mayChange` accepts. Throws STREAM_CONFIGURATION_BAD_PATCH for a forbidden patch, STREAM_CONFIGURATION_BAD_PATCH_ALIAS, or
 * PROCESSOR_PROPERTIES_VALIDATION_ERROR if the result does not match a schema.
 */
export function* patching(
  template: StreamConfigurationTemplate,
  patches: readonly RequestedPatch[],
  mayChange: (processorId: string) => boolean = () => true,
): Generator<void, StreamConfigurationTemplate, void> {
  if (patches.length === 0) return template;
  if (patches.length > MAX_PATCHES)
    throw new Problem('STREAM_CONFIGURATION_BAD_PATCH', `${patches.length} patches are too many: at most ${MAX_PATCHES} at a time.`);
  const processors = [...template.processors];
  const changed = new Set<TemplateProcessor>();
  const inKnownCase = knownCase();
  let written = 0;
  for (const patch of patches) {
    const targets = patchTargets(template, patch.path);
    if (!targets.some(({ processor }) => mayChange(template.processors[processor]?.id ?? ''))) throw forbiddenPatch(patch.path);
    for (const { processor: index, members } of targets) {
      written += weightOf(patch.value) + members.length * SEGMENT_BYTES;
      if (written > MAX_WRITTEN_BYTES) throw tooMuchWritten();
      const copy = ownCopy(processors, index, changed);
      const schema = schemaAt(copy.processorDeclaration.propertiesJsonSchema, members);
      const given = patch.coerce && patch.value !== undefined ? coerceValue(patch.value, schema) : patch.value;
      const value = given === undefined ? undefined : inKnownCase(given, schema);
      if (!applyToProperties(copy.properties, members, patch.op, value)) throw forbiddenPatch(patch.path);
      yield;
    }
  }
  for (const processor of changed) {
    checkProperties(processor);
    yield;
  }
  return { ...template, processors };
}

/** What `patching` makes, in one step. */
export const patchedTemplate = (template: StreamConfigurationTemplate, patches: readonly RequestedPatch[]): StreamConfigurationTemplate => {
  const steps = patching(template, patches);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

const tooMuchWritten = (): Problem =>
  new Problem(
    'STREAM_CONFIGURATION_BAD_PATCH',
    'The patches write more than 4 MiB into the processors together. Use fewer or smaller ones.',
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
