import { isDeepStrictEqual } from 'node:util';
import type { Limits } from '../../limits.ts';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { OutdatedContent } from '../outdatedContent.ts';
import { countReached, notFound, Problem } from '../problem.ts';
import type { TemplatesEvent } from './events.ts';
import {
  builtinTemplate,
  historyOf,
  shippedTemplate,
  type TemplateLayers,
  type TemplatePlace,
  templateTag,
  type VisibleTemplate,
  visibleTemplate,
} from './state.ts';
import { type StreamConfigurationTemplate, templateBytes } from './template.ts';
import type { TemplateContent } from './templateDraft.ts';

export type TemplateScope = 'own' | 'builtin';

/** The template to change, and its layer. */
export interface TemplateChange {
  readonly id: string;
  /** `own`: the caller's templates and private overlays. `builtin`: the built-in template itself, for everyone; only admins may change it. */
  readonly scope: TemplateScope;
  readonly ifMatch: IfMatch;
}

export type TemplateLimits = Pick<Limits, 'templateMaxBytes' | 'maxTemplatesPerUser'>;

const forbidden = (message: string): Problem => new Problem('GENERAL_AUTHORIZATION_ERROR', message);

/** The template before the change; `null` if there is none in its scope. */
export const targetOf = (layers: TemplateLayers, { id, scope }: Pick<TemplateChange, 'id' | 'scope'>): TemplatePlace | null =>
  scope === 'builtin' ? builtinTemplate(layers, id) : visibleTemplate(layers, id);

const requireTemplate = (layers: TemplateLayers, change: TemplateChange): TemplatePlace => {
  const target = targetOf(layers, change);
  if (!target) throw notFound(change.scope === 'builtin' ? 'built-in stream configuration template' : 'stream configuration template');
  return target;
};

/** The content of the target. Throws `OutdatedContent` if `before` is not the target as it is now. */
const contentOf = (target: TemplatePlace, before: VisibleTemplate | null): StreamConfigurationTemplate => {
  if (before?.layer !== target.layer || before.template.version !== target.version) throw new OutdatedContent();
  return before.template;
};

const checkRoom = ({ own }: TemplateLayers, { maxTemplatesPerUser: most }: TemplateLimits): void => {
  if (Object.values(own.templates).filter(({ current }) => current).length < most) return;
  throw countReached(`You have reached the limit of ${most} templates and overlays. Delete one first.`);
};

const checkSize = (template: StreamConfigurationTemplate, { templateMaxBytes: most }: TemplateLimits): void => {
  const bytes = templateBytes(template);
  if (bytes > most) throw new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', `The template has ${bytes} bytes. The limit is ${most}.`);
};

/** The next version of the template in the layer that it goes to. No event if `before` has the same content. */
const save = (
  layers: TemplateLayers,
  change: TemplateChange,
  content: TemplateContent,
  before: StreamConfigurationTemplate | null,
  limits: TemplateLimits,
): readonly TemplatesEvent[] => {
  const { id, scope } = change;
  const history = historyOf(scope === 'own' ? layers.own : layers.builtin, id);
  const { current = null, lastVersion = 0 } = history ?? {};
  const as = (version: number): StreamConfigurationTemplate => ({ ...content, id, version });
  if (current && isDeepStrictEqual(as(current.version), before)) return [];
  if (scope === 'own' && !current) checkRoom(layers, limits);
  const template = as(lastVersion + 1);
  checkSize(template, limits);
  const base = historyOf(layers.builtin, id)?.current?.version ?? null;
  const baseVersion = scope === 'builtin' ? null : current ? (history?.baseVersion ?? null) : base;
  return [{ type: 'TemplateSaved', data: { template, baseVersion } }];
};

/** A new template under a free id. Throws 409 with `If-Match`, because nothing can match yet. */
export const createTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  content: TemplateContent,
  limits: TemplateLimits,
): readonly TemplatesEvent[] => {
  checkIfMatch(change.ifMatch, null);
  return save(layers, change, content, null, limits);
};

/**
 * Replaces a template. `before` is the template with its content, read before the decision. Throws `OutdatedContent` if it is not the newest, here and below.
 * Throws 403 for an id that is unknown, another's, or a built-in one outside the scope `builtin`; 409.
 */
export const replaceTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  before: VisibleTemplate | null,
  content: () => TemplateContent,
  limits: TemplateLimits,
): readonly TemplatesEvent[] => {
  const target = targetOf(layers, change);
  if (!target) throw forbidden('You have no template with this id. Leave the id out to create one.');
  if (target.layer === 'builtin' && change.scope === 'own')
    throw forbidden(
      'A built-in template cannot be replaced. Patch it to get an overlay of your own, or leave the id out to create a template.',
    );
  checkIfMatch(change.ifMatch, templateTag(target));
  return save(layers, change, content(), contentOf(target, before), limits);
};

/**
 * Patches a template: `patched` makes the new one. In the scope `own`, patching a built-in one makes an overlay. Throws 404, 409 and the refusals of a
 * patch.
 */
export const patchTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  before: VisibleTemplate | null,
  patched: (template: StreamConfigurationTemplate) => StreamConfigurationTemplate,
  limits: TemplateLimits,
): readonly TemplatesEvent[] => {
  const target = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(target));
  const template = contentOf(target, before);
  const content = patched(template);
  return content === template ? [] : save(layers, change, content, template, limits);
};

/**
 * Deletes an own template, or an overlay, which restores the built-in one. In the scope `builtin`, the next version is the shipped one; nothing if
 * it already is. Throws 404, 403 for a built-in one outside that scope, 409.
 */
export const deleteTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  before: VisibleTemplate | null,
  limits: TemplateLimits,
): readonly TemplatesEvent[] => {
  const target = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(target));
  if (change.scope === 'builtin') return save(layers, change, shippedTemplate(change.id), contentOf(target, before), limits);
  if (target.layer === 'builtin') throw forbidden('A built-in template cannot be deleted.');
  return [{ type: 'TemplateDeleted', data: { templateId: change.id } }];
};
