import { randomBytes } from 'node:crypto';
import { notFound } from '../domain/problem.ts';
import { asProcessorDeclaration } from '../domain/processorDeclarations/declaration.ts';
import * as decide from '../domain/templates/decisions.ts';
import { type TemplateChange, targetOf } from '../domain/templates/decisions.ts';
import { declarationOf } from '../domain/templates/declarations.ts';
import { BUILTIN_TEMPLATES_EVENT_STREAM, isTemplatesEvent, type TemplatesEvent, templatesEventStream } from '../domain/templates/events.ts';
import type { RequestedPatch } from '../domain/templates/patches.ts';
import { patchedTemplate } from '../domain/templates/patchTemplate.ts';
import {
  builtinTemplatesDecider,
  originOf,
  ownTemplatesDecider,
  shippedTemplate,
  type TemplateLayers,
  type TemplatePlace,
  templateAsRead,
  type VisibleTemplate,
} from '../domain/templates/state.ts';
import type { StreamConfigurationTemplate } from '../domain/templates/template.ts';
import { declarationIdOf, type OwnDeclaration, type TemplateDraft, templateContent } from '../domain/templates/templateDraft.ts';
import type { Limits } from '../limits.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, contentAt, handle, load } from './handle.ts';
import { memoryOf } from './memory.ts';
import { onCurrentContent } from './onCurrentContent.ts';
import { findDeclaration } from './processorDeclarations.ts';

/** A change of a template, and its caller. */
export interface TemplateRequest extends Omit<TemplateChange, 'id'> {
  readonly subject: string;
  /** Return the result and append nothing. */
  readonly dryRun: boolean;
}

/** The built-in templates have an owner of their own, so that an erased subject takes none with it. */
const NOBODY = 'builtin';

/** The templates that a user sees now, without their contents. Rejects with a `Problem` 503 if the log cannot be read. */
export const loadTemplates = async (log: EventLog, subject: string): Promise<TemplateLayers> => {
  const [own, builtin] = await Promise.all([
    load(log, templatesEventStream(subject), ownTemplatesDecider),
    load(log, BUILTIN_TEMPLATES_EVENT_STREAM, builtinTemplatesDecider),
  ]);
  return { own, builtin };
};

/** A template with its content; `null` if its event is gone. Rejects with a `Problem` 503 if the log cannot be read. */
export const templateAt = async (log: EventLog, subject: string, place: TemplatePlace): Promise<VisibleTemplate | null> => {
  const { id, layer, origin, revision } = place;
  if (revision === null) return { template: shippedTemplate(id), layer, origin };
  const eventStream = layer === 'user' ? templatesEventStream(subject) : BUILTIN_TEMPLATES_EVENT_STREAM;
  const template = await contentAt(log, eventStream, revision, templateIn);
  return template && { template, layer, origin };
};

const templateIn = (event: RecordedEvent): StreamConfigurationTemplate | null =>
  isTemplatesEvent(event) && event.type === 'TemplateSaved' ? templateAsRead(event.data.template) : null;

export interface TemplateDeps extends CommandDeps {
  /** Checks what a decision cannot, because compiling callers' schemas runs elsewhere. Rejects with a `Problem`. */
  readonly checkTemplate: (template: StreamConfigurationTemplate, subject: string) => Promise<void>;
  readonly limits: Limits;
}

/** A decision about a template. `before` is the template before the change, `null` for a new one. */
type Decision = (layers: TemplateLayers, before: VisibleTemplate | null) => readonly TemplatesEvent[];

type Request = TemplateRequest & { readonly id: string };

const eventStreamOf = ({ scope, subject }: Request): string =>
  scope === 'builtin' ? BUILTIN_TEMPLATES_EVENT_STREAM : templatesEventStream(subject);

/**
 * Returns the template as the caller then sees it; `null` if it is deleted. Changes of one event stream are made one after another, so that only other
 * nodes can change a template while its content is used.
 */
const change = (deps: TemplateDeps, request: Request, decision: Decision, context: AppendContext): Promise<VisibleTemplate | null> => {
  const once = () => changeOnce(deps, request, decision, context);
  return request.dryRun ? once() : memoryOf(deps.log).contentTurns.run(eventStreamOf(request), () => onCurrentContent(once));
};

/** Decides on the event stream of the change; the other layer is as of the start of the command. */
const changeOnce = async (
  deps: TemplateDeps,
  request: Request,
  decision: Decision,
  context: AppendContext,
): Promise<VisibleTemplate | null> => {
  const { subject, dryRun, scope } = request;
  const layers = await loadTemplates(deps.log, subject);
  const target = targetOf(layers, request);
  const before = target && (await templateAt(deps.log, subject, target));
  if (target && !before) throw notFound('content of the template');
  const preview = decision(layers, before);
  const visible = shown(layers, request, preview, before);
  if (visible && preview.length > 0) await deps.checkTemplate(visible.template, subject);
  if (dryRun) return visible;
  const { events } =
    scope === 'builtin'
      ? await handle(deps, {
          eventStream: BUILTIN_TEMPLATES_EVENT_STREAM,
          decider: builtinTemplatesDecider,
          decide: (builtin) => decision({ ...layers, builtin }, before),
          context: { ...context, subject: NOBODY },
        })
      : await handle(deps, {
          eventStream: templatesEventStream(subject),
          decider: ownTemplatesDecider,
          decide: (own) => decision({ ...layers, own }, before),
          context: { ...context, subject },
        });
  return shown(layers, request, events.filter(isTemplatesEvent), before);
};

/** The template as the caller sees it after the events; `null` if it is deleted. */
const shown = (
  { builtin }: TemplateLayers,
  { scope }: Request,
  events: readonly TemplatesEvent[],
  before: VisibleTemplate | null,
): VisibleTemplate | null => {
  const [event] = events;
  if (!event) return before;
  if (event.type === 'TemplateDeleted') return null;
  const { template } = event.data;
  return scope === 'builtin'
    ? { template, layer: 'builtin', origin: 'built-in' }
    : { template, layer: 'user', origin: originOf(builtin, template.id) };
};

const existing = (visible: VisibleTemplate | null): VisibleTemplate => {
  if (!visible) throw notFound('stream configuration template');
  return visible;
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
): Promise<VisibleTemplate> => {
  const { draft, ...rest } = request;
  const own = await ownDeclarations(deps.log, rest.subject, draft);
  const { limits } = deps;
  if (rest.id === null) {
    const created = { ...rest, id: freshId() };
    const content = templateContent(draft, own);
    return existing(await change(deps, created, (layers) => decide.createTemplate(layers, created, content, limits), context));
  }
  const replaced = { ...rest, id: rest.id };
  const decision: Decision = (layers, before) =>
    decide.replaceTemplate(layers, replaced, before, () => templateContent(draft, own), limits);
  return existing(await change(deps, replaced, decision, context));
};

/** Rejects with 404, 409 and the refusals of a patch. */
export const patchTemplate = async (
  deps: TemplateDeps,
  { patches, ...request }: Request & { patches: readonly RequestedPatch[] },
  context: AppendContext,
): Promise<VisibleTemplate> => {
  const decision: Decision = (layers, before) =>
    decide.patchTemplate(layers, request, before, (template) => patchedTemplate(template, patches), deps.limits);
  return existing(await change(deps, request, decision, context));
};

/** Deletes a template. Rejects with 404, 403 and 409. */
export const deleteTemplate = async (deps: TemplateDeps, request: Omit<Request, 'dryRun'>, context: AppendContext): Promise<void> => {
  const decision: Decision = (layers, before) => decide.deleteTemplate(layers, request, before, deps.limits);
  await change(deps, { ...request, dryRun: false }, decision, context);
};
