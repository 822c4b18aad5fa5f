import { randomUUID } from 'node:crypto';
import { notFound } from '../domain/problem.ts';
import { checkProperties } from '../domain/templates/coercion.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from '../domain/templates/template.ts';
import * as decide from '../domain/vocabularies/decisions.ts';
import { type VocabulariesEvent, vocabulariesEventStream } from '../domain/vocabularies/events.ts';
import {
  type VocabulariesState,
  type Vocabulary,
  vocabulariesDecider,
  vocabularyNamed,
  vocabularyOf,
} from '../domain/vocabularies/state.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, handle, load } from './handle.ts';

const loadVocabularies = (log: EventLog, subject: string): Promise<VocabulariesState> =>
  load(log, vocabulariesEventStream(subject), vocabulariesDecider);

const change = async (
  deps: CommandDeps,
  decision: (state: VocabulariesState) => readonly VocabulariesEvent[],
  context: AppendContext,
): Promise<VocabulariesState> =>
  (await handle(deps, { eventStream: vocabulariesEventStream(context.subject), decider: vocabulariesDecider, decide: decision, context }))
    .state;

/** A user's vocabularies by name. */
export const listVocabularies = async (log: EventLog, subject: string): Promise<Vocabulary[]> =>
  Object.values(await loadVocabularies(log, subject)).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** Rejects with 404 for an unknown id. */
export const findVocabulary = async (log: EventLog, subject: string, id: string): Promise<Vocabulary> => {
  const found = vocabularyOf(await loadVocabularies(log, subject), id);
  if (!found) throw notFound('vocabulary');
  return found;
};

/** Creates the caller's vocabulary, or replaces the one with this id. Rejects with 400, 404, 409 and 429 as the decision says. */
export const saveVocabulary = async (
  deps: CommandDeps,
  { id, draft }: { readonly id: string | null; readonly draft: decide.VocabularyDraft },
  context: AppendContext,
): Promise<Vocabulary> => {
  const one = { id: id ?? randomUUID(), known: id !== null };
  const saved = vocabularyOf(await change(deps, (state) => decide.saveVocabulary(state, one, draft), context), one.id);
  if (!saved) throw notFound('vocabulary');
  return saved;
};

/** Streams that have begun keep it. Rejects with 404 for an unknown id. */
export const deleteVocabulary = async (deps: CommandDeps, id: string, context: AppendContext): Promise<void> => {
  await change(deps, (state) => decide.deleteVocabulary(state, id), context);
};

/** Whether the processor applies replacements, as all built-in transcribers do. */
const replaces = ({ processorDeclaration: { operationType, propertiesJsonSchema } }: TemplateProcessor): boolean =>
  /TRANSCRIPTION$/.test(operationType) &&
  isJsonObject(propertiesJsonSchema.properties) &&
  'replacements' in propertiesJsonSchema.properties;

const isName = (item: Json): item is string => typeof item === 'string' && item.trimStart().startsWith('@');

const itemsOf = ({ properties: { vocabulary = [] } }: TemplateProcessor): readonly Json[] =>
  Array.isArray(vocabulary) ? vocabulary : [vocabulary];

/**
 * The template with the content of saved vocabularies in place of their names (`@name`), as a stream keeps it. Rejects with 404 for an unknown
 * name, and with 400 if all words together are too many.
 */
export const withSavedVocabularies = async (
  log: EventLog,
  subject: string,
  template: StreamConfigurationTemplate,
): Promise<StreamConfigurationTemplate> => {
  if (!template.processors.some((processor) => replaces(processor) && itemsOf(processor).some(isName))) return template;
  const saved = await loadVocabularies(log, subject);
  return { ...template, processors: template.processors.map((one) => (replaces(one) ? withSaved(saved, one) : one)) };
};

const withSaved = (state: VocabulariesState, processor: TemplateProcessor): TemplateProcessor => {
  const items = itemsOf(processor);
  const saved = items.filter(isName).map((item) => named(state, item.trim().slice(1)));
  if (saved.length === 0) return processor;
  const terms = [...items.filter((item) => !isName(item)), ...saved.flatMap((vocabulary) => vocabulary.terms)];
  const { vocabulary: _, replacements, ...properties } = processor.properties;
  const all = Object.assign({}, ...saved.map((vocabulary) => vocabulary.replacements), replacements);
  const resolved = { ...processor, properties: { ...properties, ...(terms.length > 0 && { vocabulary: terms }), replacements: all } };
  checkProperties(resolved);
  return resolved;
};

const named = (state: VocabulariesState, name: string): Vocabulary => {
  const found = vocabularyNamed(state, name);
  if (!found) throw notFound(`vocabulary: ${JSON.stringify(name.slice(0, 100))}`);
  return found;
};
