import { isDeepStrictEqual } from 'node:util';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { notFound, Problem } from '../problem.ts';
import type { RequestedPatch } from './patches.ts';
import { patchedTemplate } from './patchTemplate.ts';
import type { StreamConfigurationTemplate, TemplatesEvent } from './template.ts';
import type { TemplateContent } from './templateDraft.ts';
import { historyOf, type TemplateLayers, templateTag, type VisibleTemplate, visibleTemplate } from './templates.ts';

/** Who changes which template. */
export interface TemplateChange {
  readonly id: string;
  /** Admins change the built-in templates themselves; others make private overlays of them. */
  readonly admin: boolean;
  readonly ifMatch: IfMatch;
}

/** Larger ones could not run: what a template becomes for a stream may not be larger either. Declarations are not counted. */
const MAX_TEMPLATE_BYTES = 262_144;
/** Of one user: own ones and overlays. Each version is an event; this bounds what has to be held to list them. */
const MAX_TEMPLATES = 500;

const refused = (message: string): Problem => new Problem('GENERAL_AUTHORIZATION_ERROR', message);

const existing = (layers: TemplateLayers, { id }: TemplateChange): VisibleTemplate => {
  const seen = visibleTemplate(layers, id);
  if (!seen) throw notFound('stream configuration template');
  return seen;
};

/** Whose event stream a change of the template goes to: what the caller sees is what changes. */
export const changedLayer = (layers: TemplateLayers, { id, admin }: TemplateChange): VisibleTemplate['layer'] =>
  admin && visibleTemplate(layers, id)?.layer === 'builtin' ? 'builtin' : 'user';

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

/** The next version of the template in the layer that it goes to; nothing when it is what is there already. */
const saved = (layers: TemplateLayers, change: TemplateChange, content: TemplateContent): readonly TemplatesEvent[] => {
  const { id } = change;
  const layer = changedLayer(layers, change);
  const history = historyOf(layer === 'user' ? layers.own : layers.builtin, id);
  const { current = null, lastVersion = 0 } = history ?? {};
  const { name, description, dataSourceSchema, processors, patchAliases } = content;
  const as = (version: number): StreamConfigurationTemplate => ({
    id,
    name,
    description,
    version,
    dataSourceSchema,
    processors,
    patchAliases,
  });
  if (current && isDeepStrictEqual(as(current.version), current)) return [];
  if (layer === 'user' && !current) checkRoom(layers);
  const template = as(lastVersion + 1);
  checkSize(template);
  const base = historyOf(layers.builtin, id)?.current?.version ?? null;
  const baseVersion = layer === 'builtin' ? null : current ? (history?.baseVersion ?? null) : base;
  return [{ type: 'TemplateSaved', data: { template, baseVersion } }];
};

/** A new template under an id that is free. Throws 409 when `If-Match` is there: nothing can match yet. */
export const createTemplate = (layers: TemplateLayers, change: TemplateChange, content: TemplateContent): readonly TemplatesEvent[] => {
  checkIfMatch(change.ifMatch, null);
  return saved(layers, change, content);
};

/** Replaces a template. Throws 403 for an id that is unknown, another's, or of a built-in one when the caller is no admin; 409. */
export const replaceTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  content: () => TemplateContent,
): readonly TemplatesEvent[] => {
  const seen = visibleTemplate(layers, change.id);
  if (!seen) throw refused('You have no template with this id. Omit the id to create one.');
  if (seen.layer === 'builtin' && !change.admin)
    throw refused('Only an admin can replace a built-in template. Patch it to get your own overlay, or omit the id to create a template.');
  checkIfMatch(change.ifMatch, templateTag(seen));
  return saved(layers, change, content());
};

/** Patches a template; a user who patches a built-in one gets an overlay. Throws 404, 409 and the refusals of a patch. */
export const patchTemplate = (
  layers: TemplateLayers,
  change: TemplateChange,
  patches: readonly RequestedPatch[],
): readonly TemplatesEvent[] => {
  const seen = existing(layers, change);
  checkIfMatch(change.ifMatch, templateTag(seen));
  return patches.length === 0 ? [] : saved(layers, change, patchedTemplate(seen.template, patches));
};

/** Deletes an own template, or an overlay, which gives the built-in one back. Throws 404, 403 for a built-in one, 409. */
export const deleteTemplate = (layers: TemplateLayers, change: TemplateChange): readonly TemplatesEvent[] => {
  const seen = existing(layers, change);
  if (seen.layer === 'builtin') throw refused('A built-in template cannot be deleted.');
  checkIfMatch(change.ifMatch, templateTag(seen));
  return [{ type: 'TemplateDeleted', data: { templateId: change.id } }];
};
