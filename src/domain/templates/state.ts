import { type AppendedNumbers, countOf, numberAt, withNumber } from '../appendedNumbers.ts';
import { BUILTIN_TEMPLATES } from './builtinTemplates.ts';
import { declarationOf } from './declarations.ts';
import type { TemplatesEvent } from './events.ts';
import type { StreamConfigurationTemplate } from './template.ts';

/** One template of a user, or a built-in one. Earlier versions stay in the log; their revisions are kept here. */
export interface TemplateHistory {
  /** `null` once deleted. */
  current: StreamConfigurationTemplate | null;
  /** Version of the built-in template that an overlay was made from; otherwise `null`. */
  baseVersion: number | null;
  /** ISO 8601 time of its first version; the empty string for shipped templates. */
  createdTimestamp: string;
  /** The newest version. Counting continues after a deletion, so that a version number is never reused. */
  lastVersion: number;
  /** Revisions of the events that saved the newest versions, in order. Empty for an unchanged shipped template. */
  revisions: AppendedNumbers;
}

/** The templates of one event stream. Plain JSON. */
export interface TemplatesState {
  readonly templates: Readonly<Record<string, TemplateHistory>>;
  readonly nextRevision: number;
}

const shipped: TemplatesState = {
  templates: Object.fromEntries(
    BUILTIN_TEMPLATES.map((template) => [
      template.id,
      { current: template, baseVersion: null, createdTimestamp: '', lastVersion: template.version, revisions: [] },
    ]),
  ),
  nextRevision: 0,
};

const none: TemplatesState = { templates: {}, nextRevision: 0 };

/** `undefined` for an unknown id. */
export const historyOf = ({ templates }: TemplatesState, id: string): TemplateHistory | undefined =>
  Object.hasOwn(templates, id) ? templates[id] : undefined;

/** Shares unchanged declarations, so that each schema is compiled once for all templates. */
const sharingDeclarations = (template: StreamConfigurationTemplate): StreamConfigurationTemplate => ({
  ...template,
  processors: template.processors.map((processor) => {
    const { id, revision } = processor.processorDeclaration;
    const known = declarationOf(id);
    return known?.revision === revision ? { ...processor, processorDeclaration: known } : processor;
  }),
});

const withHistory = (state: TemplatesState, id: string, history: TemplateHistory): TemplatesState => ({
  templates: { ...state.templates, [id]: history },
  nextRevision: state.nextRevision + 1,
});

const without = ({ templates, nextRevision }: TemplatesState, id: string): TemplatesState => {
  const { [id]: _, ...others } = templates;
  return { templates: others, nextRevision: nextRevision + 1 };
};

/** Returns a new state. `time` is that of the event, ISO 8601. */
const evolveTemplates = (state: TemplatesState, event: TemplatesEvent, time: string): TemplatesState => {
  switch (event.type) {
    case 'TemplateSaved': {
      const { template, baseVersion } = event.data;
      const known = historyOf(state, template.id);
      return withHistory(state, template.id, {
        current: sharingDeclarations(template),
        baseVersion,
        createdTimestamp: known?.createdTimestamp ?? time,
        lastVersion: template.version,
        revisions: withNumber(known?.revisions ?? [], state.nextRevision),
      });
    }
    case 'TemplateDeleted': {
      const known = historyOf(state, event.data.templateId);
      if (!known) return { ...state, nextRevision: state.nextRevision + 1 };
      // An overlay may be made again and continues its numbers. Any other id is never reused, so it is dropped.
      return known.baseVersion === null && !historyOf(shipped, event.data.templateId)
        ? without(state, event.data.templateId)
        : withHistory(state, event.data.templateId, { ...known, current: null });
    }
    default:
      return event satisfies never;
  }
};

/** A user's own templates and overlays: none before the first event. */
export const ownTemplatesDecider = { initialState: (): TemplatesState => none, evolve: evolveTemplates };
/** The platform's own templates exist from the start. */
export const builtinTemplatesDecider = { initialState: (): TemplatesState => shipped, evolve: evolveTemplates };

/** A user's templates: own ones and overlays before the built-in ones. */
export interface TemplateLayers {
  readonly own: TemplatesState;
  readonly builtin: TemplatesState;
}

/** A template as a user sees it. `layer` distinguishes own templates and overlays from built-in ones. */
export interface VisibleTemplate {
  readonly template: StreamConfigurationTemplate;
  readonly layer: 'builtin' | 'user';
  /** `copy`: a private overlay, over the built-in one of the same id. */
  readonly origin: TemplateOrigin;
}

export type TemplateOrigin = 'built-in' | 'copy' | 'own';

/** The user's own template or overlay, otherwise the built-in one; `null` if there is neither. */
export const visibleTemplate = ({ own, builtin }: TemplateLayers, id: string): VisibleTemplate | null => {
  const mine = historyOf(own, id)?.current;
  if (mine) return { template: mine, layer: 'user', origin: historyOf(builtin, id) ? 'copy' : 'own' };
  return builtinTemplate({ builtin }, id);
};

/** The built-in template for everyone without an overlay; `null` if there is none. */
export const builtinTemplate = ({ builtin }: Pick<TemplateLayers, 'builtin'>, id: string): VisibleTemplate | null => {
  const template = historyOf(builtin, id)?.current;
  return template ? { template, layer: 'builtin', origin: 'built-in' } : null;
};

/** A built-in template as shipped. Throws for any other id. */
export const shippedTemplate = (id: string): StreamConfigurationTemplate => {
  const template = BUILTIN_TEMPLATES.find((one) => one.id === id);
  if (!template) throw new Error(`the platform ships no template ${id}`);
  return template;
};

/** Tag of a template's state: distinguishes an overlay from the built-in template with the same id and version. */
export const templateTag = ({ template, layer }: VisibleTemplate): string => `${layer}-${template.version}`;

/** A version of a template: itself, or the revision of its event in the layer's event stream. `null` for an unknown version. */
export const versionOf = (
  layers: TemplateLayers,
  { template, layer }: VisibleTemplate,
  version: number,
): StreamConfigurationTemplate | { readonly revision: number } | null => {
  if (version === template.version) return template;
  const history = historyOf(layer === 'user' ? layers.own : layers.builtin, template.id);
  const index = history ? countOf(history.revisions) - 1 - (history.lastVersion - version) : -1;
  const revision = history && version <= history.lastVersion && index >= 0 ? numberAt(history.revisions, index) : undefined;
  if (revision !== undefined) return { revision };
  return layer === 'builtin' ? (BUILTIN_TEMPLATES.find(({ id, version: first }) => id === template.id && first === version) ?? null) : null;
};

/** All templates of the user, newest first, then by id. An overlay is in the place of its built-in template. */
export const visibleTemplates = ({ own, builtin }: TemplateLayers): VisibleTemplate[] => {
  const ids = new Set([...Object.keys(own.templates), ...Object.keys(builtin.templates)]);
  const found = [...ids].flatMap((id) => {
    const visible = visibleTemplate({ own, builtin }, id);
    const created = historyOf(builtin, id)?.createdTimestamp ?? historyOf(own, id)?.createdTimestamp ?? '';
    return visible ? [{ visible, created }] : [];
  });
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return found
    .sort((a, b) => order(b.created, a.created) || order(a.visible.template.id, b.visible.template.id))
    .map(({ visible }) => visible);
};
