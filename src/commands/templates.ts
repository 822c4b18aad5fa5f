import { randomBytes } from 'node:crypto';
import { notFound } from '../domain/problem.ts';
import { asProcessorDeclaration } from '../domain/processorDeclarations/declaration.ts';
import * as decide from '../domain/templates/decisions.ts';
import { type TemplateChange, type TemplateScope, targetOf } from '../domain/templates/decisions.ts';
import { declarationOf } from '../domain/templates/declarations.ts';
import { BUILTIN_TEMPLATES_EVENT_STREAM, type TemplatesEvent, templatesEventStream } from '../domain/templates/events.ts';
import type { RequestedPatch } from '../domain/templates/patches.ts';
import { patchedTemplate, patching } from '../domain/templates/patchTemplate.ts';
import { builtinTemplatesDecider, ownTemplatesDecider, type TemplateLayers, type VisibleTemplate } from '../domain/templates/state.ts';
import type { StreamConfigurationTemplate } from '../domain/templates/template.ts';
import { declarationIdOf, type OwnDeclaration, type TemplateDraft, templateContent } from '../domain/templates/templateDraft.ts';
import type { Position } from '../stores/eventStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { inSteps, ownTurn } from '../supervision/ownTurn.ts';
import { HEAVY_BYTES, weightOf } from '../weight.ts';
import { type AppendContext, type CommandDeps, handle, load } from './handle.ts';
import { findDeclaration } from './processorDeclarations.ts';

/** A change of a template, and its caller. */
export interface TemplateRequest extends Omit<TemplateChange, 'id'> {
  readonly subject: string;
  /** Return the result and append nothing. */
  readonly dryRun: boolean;
}

export interface TemplateChanged {
  /** The template as the caller now sees it; `null` if it is deleted. */
  readonly visible: VisibleTemplate | null;
  readonly position: Position | null;
}

/** The built-in templates have an owner of their own, so that an erased subject takes none with it. */
const NOBODY = 'builtin';

/** The templates that a user sees now. Rejects with a `Problem` 503 if the log cannot be read. */
export const loadTemplates = async (log: EventLog, subject: string): Promise<TemplateLayers> => {
  const [own, builtin] = await Promise.all([
    load(log, templatesEventStream(subject), ownTemplatesDecider),
    load(log, BUILTIN_TEMPLATES_EVENT_STREAM, builtinTemplatesDecider),
  ]);
  return { own, builtin };
};

export interface TemplateDeps extends CommandDeps {
  /** Checks what a decision cannot, because compiling callers' schemas runs elsewhere. Rejects with a `Problem`. */
  readonly checkTemplate: (template: StreamConfigurationTemplate, subject: string) => Promise<void>;
}

type Decision = (layers: TemplateLayers) => readonly TemplatesEvent[];

const withEvents = (layers: TemplateLayers, scope: TemplateScope, events: readonly TemplatesEvent[]): TemplateLayers => {
  const fold = (state: TemplateLayers['own']) => events.reduce((folded, event) => ownTemplatesDecider.evolve(folded, event, ''), state);
  return scope === 'own' ? { ...layers, own: fold(layers.own) } : { ...layers, builtin: fold(layers.builtin) };
};

/** Decides on the event stream of the change; the other layer is as of the start of the command. */
const change = async (
  deps: TemplateDeps,
  { subject, dryRun, ...request }: TemplateRequest & { id: string },
  decision: Decision,
  context: AppendContext,
): Promise<TemplateChanged> => {
  const layers = await loadTemplates(deps.log, subject);
  const { scope } = request;
  const shown = (after: TemplateLayers) => targetOf(after, request);
  const preview = decision(layers);
  const expected = shown(withEvents(layers, scope, preview));
  if (expected && preview.length > 0) await deps.checkTemplate(expected.template, subject);
  if (dryRun) return { visible: expected, position: null };
  if (scope === 'builtin') {
    const { state, position } = await handle(deps, {
      eventStream: BUILTIN_TEMPLATES_EVENT_STREAM,
      decider: builtinTemplatesDecider,
      decide: (builtin) => decision({ ...layers, builtin }),
      context: { ...context, subject: NOBODY },
    });
    return { visible: shown({ ...layers, builtin: state }), position };
  }
  const { state, position } = await handle(deps, {
    eventStream: templatesEventStream(subject),
    decider: ownTemplatesDecider,
    decide: (own) => decision({ ...layers, own }),
    context: { ...context, subject },
  });
  return { visible: shown({ ...layers, own: state }), position };
};

const existing = ({ visible, position }: TemplateChanged): { visible: VisibleTemplate; position: Position | null } => {
  if (!visible) throw notFound('stream configuration template');
  return { visible, position };
};

/** 24 hexadecimal characters, like the ids of the built-in templates. */
const freshId = (): string => randomBytes(12).toString('hex');

/** The users' own processors in a draft, in their newest versions. */
const ownDeclarations = async (log: EventLog, subject: string, { processors }: TemplateDraft): Promise<Map<string, OwnDeclaration>> => {
  const own = new Map<string, OwnDeclaration>();
  for (const processor of processors ?? []) {
    const id = declarationIdOf(processor);
    if (id === null || own.has(id) || declarationOf(id)) continue;
    const found = await findDeclaration(log, subject, id);
    if (!found || found.history.deleted) continue;
    const { newest } = found;
    own.set(id, {
      declaration: asProcessorDeclaration(newest),
      defaultProperties: newest.defaultProperties ?? {},
      patchAliases: newest.patchAliases,
    });
  }
  return own;
};

/** Creates a template if `id` is `null`, otherwise replaces it. Rejects with the refusals of `templateContent`, 403 and 409. */
export const putTemplate = async (
  deps: TemplateDeps,
  request: TemplateRequest & { id: string | null; draft: TemplateDraft },
  context: AppendContext,
): Promise<{ visible: VisibleTemplate; position: Position | null }> => {
  const { draft, ...rest } = request;
  const own = await ownDeclarations(deps.log, rest.subject, draft);
  if (rest.id === null) {
    const created = { ...rest, id: freshId() };
    const content = templateContent(draft, own);
    return existing(await change(deps, created, (layers) => decide.createTemplate(layers, created, content), context));
  }
  const replaced = { ...rest, id: rest.id };
  return existing(
    await change(deps, replaced, (layers) => decide.replaceTemplate(layers, replaced, () => templateContent(draft, own)), context),
  );
};

/** Rejects with 404, 409 and the refusals of a patch. */
export const patchTemplate = async (
  deps: TemplateDeps,
  { patches, ...request }: TemplateRequest & { id: string; patches: readonly RequestedPatch[] },
  context: AppendContext,
): Promise<{ visible: VisibleTemplate; position: Position | null }> => {
  for (let tries = 1; ; tries += 1) {
    const expected = targetOf(await loadTemplates(deps.log, request.subject), request)?.template;
    const patched = expected && (await patchedInSteps(expected, patches));
    const patch = (template: StreamConfigurationTemplate): StreamConfigurationTemplate => {
      if (patched && template === expected) return patched();
      if (tries < MOST_TRIES) throw CHANGED;
      return patchedTemplate(template, patches);
    };
    try {
      return existing(await change(deps, request, (layers) => decide.patchTemplate(layers, request, patch), context));
    } catch (error) {
      if (error !== CHANGED) throw error;
    }
  }
};

/** If others keep changing the template, the last try patches it in one step. */
const MOST_TRIES = 5;
const CHANGED = new Error('the template was changed while it was patched');

/** Patches in steps, before it is decided whether the change is allowed. Returns what gives the result or throws the refusal. */
const patchedInSteps = async (
  template: StreamConfigurationTemplate,
  patches: readonly RequestedPatch[],
): Promise<() => StreamConfigurationTemplate> => {
  if (weightOf(template) > HEAVY_BYTES) await ownTurn();
  const [outcome] = await Promise.allSettled([inSteps(patching(template, patches))]);
  return () => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
};

/** Deletes a template. Rejects with 404, 403 and 409. */
export const deleteTemplate = async (
  deps: TemplateDeps,
  request: Omit<TemplateRequest, 'dryRun'> & { id: string },
  context: AppendContext,
): Promise<void> => {
  await change(deps, { ...request, dryRun: false }, (layers) => decide.deleteTemplate(layers, request), context);
};
