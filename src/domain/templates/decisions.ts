import { isDeepStrictEqual } from 'node:util';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { OutdatedContent } from '../outdatedContent.ts';
import { notFound, Problem } from '../problem.ts';
import type { TemplatesEvent } from './events.ts';
import { templateWeight } from './keptTemplate.ts';
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
import type { StreamConfigurationTemplate } from './template.ts';
import type { TemplateContent } from './templateDraft.ts';

export type TemplateScope = 'own' | 'builtin';

/** The template to change, and its layer. */
export interface TemplateChange {
  readonly id: string;
  /** `own`: the caller's templates and private overlays. `builtin`: the built-in template itself, for everyone; only admins may change it. */
  readonly scope: TemplateScope;
  readonly ifMatch: IfMatch;
}

/** A larger template could not run, because a stream's configuration has the same limit. Declarations are not counted. */
export const MAX_TEMPLATE_BYTES = 262_144;
/** Limits of one user's own templates and overlays. Each version is an event. */
const MAX_TEMPLATES = 500;
/** Memory limits, including own processors' declarations, unless they are shared with other templates. */
const MAX_TEMPLATE_WEIGHT = 1_048_576;
const MAX_WEIGHT_OF_USER = 33_554_432;

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

const checkRoom = ({ own }: TemplateLayers): void => {
  if (Object.values(own.templates).filter(({ current }) => current).length < MAX_TEMPLATES) return;
  throw new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    `You have reached the limit of ${MAX_TEMPLATES} templates and overlays. Delete one first.`,
  );
};

const checkSize = (template: StreamConfigurationTemplate): void => {
  const bytes = Buffer.byteLength(JSON.stringify(template, (member, value) => (member === 'processorDeclaration' ? undefined : value)));
  if (bytes <= MAX_TEMPLATE_BYTES) return;
  throw new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', `The template has ${bytes} bytes. The limit is ${MAX_TEMPLATE_BYTES}.`);
};

const inKibibytes = (bytes: number): string => `${Math.ceil(bytes / 1_024)} KiB`;

/** Throws STREAM_CONFIGURATION_BAD_TEMPLATE for a template, or a part of one, of this weight. */
export const checkTemplateWeight = (weight: number): void => {
  if (weight <= MAX_TEMPLATE_WEIGHT) return;
  throw new Problem(
    'STREAM_CONFIGURATION_BAD_TEMPLATE',
    `The template takes ${inKibibytes(weight)} of memory. The limit is ${inKibibytes(MAX_TEMPLATE_WEIGHT)}. Use fewer members and items.`,
  );
};

/** Limits the memory of a user's templates: many small values take much more than their JSON. */
const checkWeight = ({ own }: TemplateLayers, template: StreamConfigurationTemplate): void => {
  const weight = templateWeight(template);
  checkTemplateWeight(weight);
  const before = historyOf(own, template.id)?.current;
  if (before && weight <= before.weight) return;
  const others = Object.entries(own.templates).flatMap(([id, { current }]) => (current && id !== template.id ? [current.weight] : []));
  if (others.reduce((sum, one) => sum + one, weight) <= MAX_WEIGHT_OF_USER) return;
  throw new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    `Your templates and overlays take more than ${inKibibytes(MAX_WEIGHT_OF_USER)} of memory together. Delete one, or make this one smaller.`,
  );
};

/** The next version of the template in the layer that it goes to. No event if `before` has the same content. */
const save = (
  layers: TemplateLayers,
  change: TemplateChange,
  content: TemplateContent,
  before: StreamConfigurationTemplate | null,
): readonly TemplatesEvent[] => {
  const { id, scope } = change;
  const history = historyOf(scope === 'own' ? layers.own : layers.builtin, id);
  const { current = null, lastVersion = 0 } = history ?? {};
  const as = (version: number): StreamConfigurationTemplate => ({ ...content, id, version });
  if (current && isDeepStrictEqual(as(current.version), before)) return [];
  if (scope === 'own' && !current) checkRoom(layers);
  const template = as(lastVersion + 1);
  checkSize(template);
  if (scope === 'own') checkWeight(layers, template);
  const base = historyOf(layers.builtin, id)?.current?.version ?? null;
  const baseVersion = scope === 'builtin' ? null : current ? (history?.baseVersion ?? null) : base;
  return [{ type: 'TemplateSaved', data: { template, baseVersion } }];
};

/** A new template under a free id. Throws 409 with `If-Match`, because nothing can match yet. */
export const createTemplate = (layers: TemplateLayers, change: TemplateChange, content: TemplateContent): readonly TemplatesEvent[] => {
  checkIfMatch(change.ifMatch, null);
  return save(layers, change, content, null);
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
): readonly TemplatesEvent[] => {
  const target = targetOf(layers, change);
  if (!target) throw forbidden('You have no template with this id. Leave the id out to create one.');
  if (target.layer === 'builtin' && change.scope === 'own')
    throw forbidden(
      'A built-in template cannot be replaced. Patch it to get an overlay of your own, or leave the id out to create a template.',
    );
  checkIfMatch(change.ifMatch, templateTag(target));
  return save(layers, change, content(), contentOf(target, before));
};

/**
 * Patches a template: `patched` makes the new one. In the scope `own`, patching a built-in one makes an overlay. Throws 404, 409 and the refusals of a
 * patch.
 */
export const patchTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  before: VisibleTemplate | null,
  patched: () => StreamConfigurationTemplate,
): readonly TemplatesEvent[] => {
  const target = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(target));
  const template = contentOf(target, before);
  const content = patched();
  return content === template ? [] : save(layers, change, content, template);
};

/**
 * Deletes an own template, or an overlay, which restores the built-in one. In the scope `builtin`, the next version is the shipped one; nothing if
 * it already is. Throws 404, 403 for a built-in one outside that scope, 409.
 */
export const deleteTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  before: VisibleTemplate | null,
): readonly TemplatesEvent[] => {
  const target = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(target));
  if (change.scope === 'builtin') return save(layers, change, shippedTemplate(change.id), contentOf(target, before));
  if (target.layer === 'builtin') throw forbidden('A built-in template cannot be deleted.');
  return [{ type: 'TemplateDeleted', data: { templateId: change.id } }];
};
