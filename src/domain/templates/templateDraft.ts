import type { JsonObject } from '../../json.ts';
import { Problem } from '../problem.ts';
import { fitsInput } from '../processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { checkAliases } from './aliases.ts';
import { checkProperties, knownCase, schemaAt } from './coercion.ts';
import { declarationOf } from './declarations.ts';
import type { ProcessorDeclaration, StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

/** A processor as a caller describes it. Missing and null members have their defaults; members set by the platform are ignored. */
export interface ProcessorDraft {
  id: string;
  name?: string | null;
  description?: string | null;
  processorDeclarationId?: string | null;
  processorDeclaration?: { id?: string | null } | null;
  previousProcessorId?: string | null;
  properties?: JsonObject | null;
  destinationTopicMessageHeaders?: JsonObject | null;
  destinationTopicHeaders?: JsonObject | null;
  sourceSubscriptionHeaders?: JsonObject | null;
  patchAliases?: Record<string, string> | null;
  egress?: { persist?: boolean | null; sink?: boolean | null; tags?: string[] | null } | null;
}

/** A template as a caller describes it, with checked types. */
export interface TemplateDraft {
  name: string;
  description?: string | null;
  /** Default: `bytes`. */
  dataSourceSchema?: string | null;
  processors?: ProcessorDraft[] | null;
  patchAliases?: Record<string, string> | null;
}

/** A template without the members that the platform adds. */
export type TemplateContent = Omit<StreamConfigurationTemplate, 'id' | 'version'>;

const PROCESSOR_ID = /^[A-Za-z][A-Za-z0-9_-]*$/;
const MAX_PROCESSOR_ID = 255;
const MAX_FINDINGS = 20;
/** Allowed data of an upload: raw frames. */
const SOURCE_SCHEMAS: readonly string[] = [MESSAGE_SCHEMAS.bytes, MESSAGE_SCHEMAS.string];

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/** Users' own processors that a draft may name, by id, with the members that a template copies. */
export type OwnDeclarations = ReadonlyMap<string, OwnDeclaration>;

export interface OwnDeclaration {
  readonly declaration: ProcessorDeclaration;
  readonly defaultProperties: JsonObject;
  readonly patchAliases: Record<string, string>;
}

/** The declaration id in a draft; `null` if there is none. */
export const declarationIdOf = ({ processorDeclarationId, processorDeclaration }: ProcessorDraft): string | null =>
  processorDeclarationId ?? processorDeclaration?.id ?? null;

/** The first finding of a processor's declaration, or the declaration. */
const findDeclaration = (draft: ProcessorDraft, own: OwnDeclarations): ProcessorDeclaration | string => {
  const { processorDeclaration } = draft;
  const named = declarationIdOf(draft);
  if (named === null) return 'has no declaration. Set processorDeclarationId';
  if (processorDeclaration?.id && processorDeclaration.id !== named)
    return 'has different ids in processorDeclarationId and processorDeclaration.id';
  return (
    declarationOf(named) ??
    own.get(named)?.declaration ??
    `unknown declaration ${shown(named)}. GET processor-declarations lists the known ones`
  );
};

const idFinding = (processors: readonly ProcessorDraft[], index: number): string | null => {
  const id = processors[index]?.id ?? '';
  if (!PROCESSOR_ID.test(id) || id.length > MAX_PROCESSOR_ID)
    return `${shown(id)} is not a valid processor id. Use letters, digits, _ and -, starting with a letter`;
  return processors.findIndex((other) => other.id === id) < index ? `the id ${shown(id)} is used twice` : null;
};

/** Whether the processor follows itself. */
const isInCycle = (byId: ReadonlyMap<string, ProcessorDraft>, from: ProcessorDraft): boolean => {
  let at = byId.get(from.previousProcessorId ?? '');
  for (let steps = 0; at && at !== from && steps < byId.size; steps++) at = byId.get(at.previousProcessorId ?? '');
  return at === from;
};

const inputFinding = (
  source: string,
  byId: ReadonlyMap<string, ProcessorDraft>,
  processor: ProcessorDraft,
  own: OwnDeclarations,
): string | null => {
  const { previousProcessorId = null } = processor;
  const previous = previousProcessorId === null ? null : byId.get(previousProcessorId);
  if (previous === undefined) return `previousProcessorId: unknown processor ${shown(previousProcessorId ?? '')}`;
  if (isInCycle(byId, processor)) return 'previousProcessorId: the chain has a cycle through this processor';
  const declaration = findDeclaration(processor, own);
  const before = previous && findDeclaration(previous, own);
  if (typeof declaration === 'string' || typeof before === 'string') return null;
  const input = before ? before.outputSchema : source;
  const { inputSchemas } = declaration;
  return fitsInput(inputSchemas, input) ? null : `takes ${inputSchemas.join(' or ')}, but its input is ${shown(input)}`;
};

/** Reasons why the template cannot run, each with its place. */
const findingsOf = (source: string, processors: readonly ProcessorDraft[], own: OwnDeclarations): string[] => {
  const findings: string[] = [];
  if (processors.length === 0) findings.push('processors: at least one processor is required');
  if (!SOURCE_SCHEMAS.includes(source)) findings.push(`dataSourceSchema: ${shown(source)} must be one of ${SOURCE_SCHEMAS.join(', ')}`);
  const byId = new Map(processors.map((processor) => [processor.id, processor]));
  processors.forEach((processor, index) => {
    const declaration = findDeclaration(processor, own);
    const found = [
      idFinding(processors, index),
      typeof declaration === 'string' ? declaration : null,
      inputFinding(source, byId, processor, own),
    ];
    for (const finding of found) if (finding !== null) findings.push(`processors[${index}]: ${finding}`);
  });
  return findings;
};

const propertiesOf = (
  { properties }: ProcessorDraft,
  { id, propertiesJsonSchema }: ProcessorDeclaration,
  own: OwnDeclarations,
  inKnownCase: ReturnType<typeof knownCase>,
): JsonObject => {
  if (!properties) return structuredClone(own.get(id)?.defaultProperties ?? {});
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, inKnownCase(value, schemaAt(propertiesJsonSchema, [name]))]),
  );
};

const built = (draft: ProcessorDraft, own: OwnDeclarations, inKnownCase: ReturnType<typeof knownCase>): TemplateProcessor => {
  const declaration = findDeclaration(draft, own);
  if (typeof declaration === 'string') throw new Error(declaration);
  return {
    id: draft.id,
    name: draft.name ?? declaration.displayName,
    description: draft.description ?? null,
    processorDeclaration: declaration,
    previousProcessorId: draft.previousProcessorId ?? null,
    propertiesSchema: declaration.propertiesSchema,
    properties: propertiesOf(draft, declaration, own, inKnownCase),
    destinationTopicMessageHeaders: draft.destinationTopicMessageHeaders ?? {},
    destinationTopicHeaders: draft.destinationTopicHeaders ?? {},
    sourceSubscriptionHeaders: draft.sourceSubscriptionHeaders ?? {},
    patchAliases: draft.patchAliases ?? { ...own.get(declaration.id)?.patchAliases },
    egress: { persist: draft.egress?.persist ?? false, sink: draft.egress?.sink ?? false, tags: draft.egress?.tags ?? [] },
  };
};

/**
 * The template that a draft describes. Throws STREAM_CONFIGURATION_BAD_TEMPLATE with one nested error for each reason why it cannot run,
 * STREAM_CONFIGURATION_BAD_PATCH_ALIAS for dangling aliases, PROCESSOR_PROPERTIES_VALIDATION_ERROR.
 */
export const templateContent = (draft: TemplateDraft, own: OwnDeclarations = new Map()): TemplateContent => {
  const dataSourceSchema = draft.dataSourceSchema ?? MESSAGE_SCHEMAS.bytes;
  const drafts = draft.processors ?? [];
  const findings = findingsOf(dataSourceSchema, drafts, own);
  const [first] = findings;
  if (first !== undefined) {
    const nested = findings.slice(0, MAX_FINDINGS).map((finding) => new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', finding));
    throw new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', `The template cannot run: ${first}.`, { nested });
  }
  const inKnownCase = knownCase();
  const processors = drafts.map((one) => built(one, own, inKnownCase));
  const content = {
    name: draft.name,
    description: draft.description ?? null,
    dataSourceSchema,
    processors,
    patchAliases: draft.patchAliases ?? {},
  };
  checkAliases(content);
  for (const processor of processors) checkProperties(processor);
  return content;
};
