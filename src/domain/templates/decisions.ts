import { isDeepStrictEqual } from 'node:util';
import { weightOf } from '../../weight.ts';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { notFound, Problem } from '../problem.ts';
import { declarationOf } from './declarations.ts';
import type { TemplatesEvent } from './events.ts';
import {
  builtinTemplate,
  historyOf,
  shippedTemplate,
  type TemplateLayers,
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
/** Limits of one user's own templates and overlays. Each version is an event, and all are held in memory to list them. */
const MAX_TEMPLATES = 500;
/** Memory limits, including own processors' declarations, unless they are shared with other templates. */
const MAX_TEMPLATE_WEIGHT = 1_048_576;
const MAX_WEIGHT_OF_USER = 33_554_432;

const forbidden = (message: string): Problem => new Problem('GENERAL_AUTHORIZATION_ERROR', message);

/** The template before the change; `null` if there is none in its scope. */
export const targetOf = (layers: TemplateLayers, { id, scope }: Pick<TemplateChange, 'id' | 'scope'>): VisibleTemplate | null =>
  scope === 'builtin' ? builtinTemplate(layers, id) : visibleTemplate(layers, id);

const requireTemplate = (layers: TemplateLayers, change: TemplateChange): VisibleTemplate => {
  const seen = targetOf(layers, change);
  if (!seen) throw notFound(change.scope === 'builtin' ? 'built-in stream configuration template' : 'stream configuration template');
  return seen;
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

const ownWeight = ({ processors, ...rest }: StreamConfigurationTemplate): number => {
  const declarations = processors.map(({ processorDeclaration }) =>
    declarationOf(processorDeclaration.id) ? 0 : weightOf(processorDeclaration),
  );
  const others = processors.map(({ processorDeclaration: _, ...processor }) => weightOf(processor));
  return [...declarations, ...others].reduce((sum, weight) => sum + weight, weightOf(rest));
};

const weights = new WeakMap<StreamConfigurationTemplate, number>();

/** Templates are immutable, so each is weighed once. */
const templateWeight = (template: StreamConfigurationTemplate): number => {
  const weight = weights.get(template) ?? ownWeight(template);
  weights.set(template, weight);
  return weight;
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
  const before = own.templates[template.id]?.current;
  if (before && weight <= templateWeight(before)) return;
  const others = Object.values(own.templates).flatMap(({ current }) => (current && current.id !== template.id ? [current] : []));
  if (others.reduce((sum, one) => sum + templateWeight(one), weight) <= MAX_WEIGHT_OF_USER) return;
  throw new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    `Your templates and overlays take more than ${inKibibytes(MAX_WEIGHT_OF_USER)} of memory together. Delete one, or make this one smaller.`,
  );
};

/** The next version of the template in the layer that it goes to; nothing when it is what is there already. */
const save = (layers: TemplateLayers, change: TemplateChange, content: TemplateContent): readonly TemplatesEvent[] => {
  const { id, scope } = change;
  const history = historyOf(scope === 'own' ? layers.own : layers.builtin, id);
  const { current = null, lastVersion = 0 } = history ?? {};
  const as = (version: number): StreamConfigurationTemplate => ({ ...content, id, version });
  if (current && isDeepStrictEqual(as(current.version), current)) return [];
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
  return save(layers, change, content);
};

/** Replaces a template. Throws 403 for an id that is unknown, another's, or a built-in one outside the scope `builtin`; 409. */
export const replaceTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  content: () => TemplateContent,
): readonly TemplatesEvent[] => {
  const seen = targetOf(layers, change);
  if (!seen) throw forbidden('You have no template with this id. Leave the id out to create one.');
  if (seen.layer === 'builtin' && change.scope === 'own')
    throw forbidden(
      'A built-in template cannot be replaced. Patch it to get an overlay of your own, or leave the id out to create a template.',
    );
  checkIfMatch(change.ifMatch, templateTag(seen));
  return save(layers, change, content());
};

/**
 * Patches a template: `patched` makes the new one. In the scope `own`, patching a built-in one makes an overlay. Throws 404, 409 and the refusals of a
 * patch.
 */
export const patchTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  patched: (template: StreamConfigurationTemplate) => StreamConfigurationTemplate,
): readonly TemplatesEvent[] => {
  const seen = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(seen));
  const content = patched(seen.template);
  return content === seen.template ? [] : save(layers, change, content);
};

/**
 * Deletes an own template, or an overlay, which restores the built-in one. In the scope `builtin`, the next version is the shipped one; nothing if
 * it already is. Throws 404, 403 for a built-in one outside that scope, 409.
 */
export const deleteTemplate = (layers: TemplateLayers, change: TemplateChange): readonly TemplatesEvent[] => {
  const seen = requireTemplate(layers, change);
  checkIfMatch(change.ifMatch, templateTag(seen));
  if (change.scope === 'builtin') return save(layers, change, shippedTemplate(change.id));
  if (seen.layer === 'builtin') throw forbidden('A built-in template cannot be deleted.');
  return [{ type: 'TemplateDeleted', data: { templateId: change.id } }];
};
