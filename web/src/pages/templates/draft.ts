import type { Json, JsonObject, ProcessorDeclaration, Template } from '../../api/types.ts';
import type { ChainNode } from '../../parts/chainLayout.ts';

/** A template that is being written: whatever JSON somebody typed. The form shows the members that it knows and keeps the others. */
export type Draft = JsonObject;

/** A processor of a draft as the form shows it. */
export interface ProcessorDraft {
  readonly id: string;
  readonly declarationId: string;
  readonly previousProcessorId: string | null;
  readonly properties: JsonObject;
  readonly sink: boolean;
  readonly persist: boolean;
}

/** A chain that runs, to begin with. */
export const EXAMPLE: Draft = {
  name: 'My template',
  description: 'Summary of a text',
  dataSourceSchema: 'string',
  processors: [{ id: 'llm', processorDeclarationId: 'llm', properties: { summary: { enabled: true } } }],
};

/** A template without members set by the platform. Declarations are named by their id, so that the JSON stays short. */
export const draftOf = ({ version: _version, origin: _origin, runnable: _runnable, processors, ...rest }: Template): Draft => ({
  ...rest,
  // Every member is JSON that the API answered.
  processors: processors.map(({ processorDeclaration, ...processor }) => ({
    ...processor,
    processorDeclarationId: processorDeclaration.id,
  })) as unknown as Json,
});

/** A copy of a template under a name of its own. */
export const duplicateOf = (template: Template): Draft => {
  const { id: _id, ...draft } = draftOf(template);
  return { ...draft, name: `Copy of ${template.name}`.slice(0, 255) };
};

/** `null` unless the text is a JSON object. */
export const parsedDraft = (text: string): Draft | null => {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const textMember = (draft: Draft, name: string): string => textOf(draft[name]);

const rawProcessors = ({ processors }: Draft): readonly JsonObject[] => (Array.isArray(processors) ? processors.filter(isObject) : []);

export const processorsOf = (draft: Draft): readonly ProcessorDraft[] =>
  rawProcessors(draft).map(({ id, processorDeclarationId, processorDeclaration, previousProcessorId, properties, egress }) => ({
    id: textOf(id),
    declarationId: textOf(processorDeclarationId) || textOf(objectOf(processorDeclaration).id),
    previousProcessorId: textOf(previousProcessorId) || null,
    properties: objectOf(properties),
    sink: objectOf(egress).sink === true,
    persist: objectOf(egress).persist === true,
  }));

/** Changes one processor; a new id is followed by those that read it. */
export const withProcessor = (draft: Draft, at: number, change: Partial<ProcessorDraft>): Draft => {
  const before = processorsOf(draft)[at];
  const processors = rawProcessors(draft).map((one, index) => {
    if (index === at) return changed(one, change);
    const follows = change.id !== undefined && before !== undefined && one.previousProcessorId === before.id;
    return follows ? { ...one, previousProcessorId: change.id ?? null } : one;
  });
  return { ...draft, processors };
};

const changed = (
  one: JsonObject,
  { id, declarationId, previousProcessorId, properties, sink, persist }: Partial<ProcessorDraft>,
): JsonObject => {
  const { processorDeclaration: _former, ...rest } = one;
  return {
    ...(declarationId === undefined ? one : { ...rest, processorDeclarationId: declarationId, properties: {} }),
    ...(id !== undefined && { id }),
    ...(previousProcessorId !== undefined && { previousProcessorId }),
    ...(properties !== undefined && { properties }),
    egress: { ...objectOf(one.egress), ...(sink !== undefined && { sink }), ...(persist !== undefined && { persist }) },
  };
};

/** Adds a processor after the last one. */
export const withAdded = (draft: Draft, declaration: ProcessorDeclaration): Draft => {
  const known = processorsOf(draft);
  const taken = new Set(known.map(({ id }) => id));
  let id = declaration.id;
  for (let n = 2; taken.has(id); n++) id = `${declaration.id}-${n}`;
  const added = { id, processorDeclarationId: declaration.id, previousProcessorId: known.at(-1)?.id ?? null, properties: {} };
  return { ...draft, processors: [...rawProcessors(draft), added] };
};

/** Removes a processor; its readers get its source. */
export const withoutProcessor = (draft: Draft, at: number): Draft => {
  const gone = processorsOf(draft)[at];
  const processors = rawProcessors(draft)
    .filter((_, index) => index !== at)
    .map((one) => (gone && one.previousProcessorId === gone.id ? { ...one, previousProcessorId: gone.previousProcessorId } : one));
  return { ...draft, processors };
};

/** The boxes of its picture. */
export const chainOfDraft = (draft: Draft, declarations: ReadonlyMap<string, ProcessorDeclaration>): readonly ChainNode[] => {
  const schema = textMember(draft, 'dataSourceSchema') || 'bytes';
  const processors = processorsOf(draft);
  return [
    { kind: 'source', id: 'source', after: null, title: 'Data source', line: schema, more: schema, tone: 'quiet' },
    ...processors.flatMap(({ id, declarationId, previousProcessorId, sink }): ChainNode[] => {
      const declaration = declarations.get(declarationId);
      const line = declaration?.displayName ?? declarationId;
      const own: ChainNode = {
        ...{ kind: 'processor', id, after: previousProcessorId, title: id, line, tone: declaration ? 'quiet' : 'bad' },
        more: declaration ? `${id}, ${line}: output ${declaration.outputSchema}` : `${id}: no such processor`,
      };
      const isLast = !processors.some((other) => other.previousProcessorId === id);
      return sink || isLast
        ? [own, { kind: 'sink', id, after: id, title: id, line: 'result', more: `Result of ${id}`, tone: 'quiet' }]
        : [own];
    }),
  ];
};
