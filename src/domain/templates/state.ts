import { type AppendedNumbers, countOf, lastNumber, numberAt, withNumber } from '../appendedNumbers.ts';
import { BUILTIN_TEMPLATES } from './builtinTemplates.ts';
import { declarationOf } from './declarations.ts';
import type { TemplatesEvent } from './events.ts';
import { type KeptTemplate, keptOf } from './keptTemplate.ts';
import type { ProcessorDeclaration, StreamConfigurationTemplate } from './template.ts';

/** One template of a user, or a built-in one. The contents of all versions stay in the log; their revisions are kept here. */
export interface TemplateHistory<Kept = KeptTemplate> {
  /** `null` once deleted. */
  current: Kept | null;
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
export interface TemplatesState<Kept = KeptTemplate> {
  readonly templates: Readonly<Record<string, TemplateHistory<Kept>>>;
  readonly nextRevision: number;
}

const isShipped = (id: string): boolean => BUILTIN_TEMPLATES.some((template) => template.id === id);

/** `undefined` for an unknown id. */
export const historyOf = <Kept>({ templates }: TemplatesState<Kept>, id: string): TemplateHistory<Kept> | undefined =>
  Object.hasOwn(templates, id) ? templates[id] : undefined;

/** A template as read from its event. Erased members are empty. Shares unchanged declarations, so that each schema is compiled once for all templates. */
export const templateAsRead = (template: StreamConfigurationTemplate): StreamConfigurationTemplate => ({
  ...template,
  name: template.name ?? '',
  processors: template.processors.map((processor) => ({
    ...processor,
    name: processor.name ?? '',
    properties: processor.properties ?? {},
    processorDeclaration: declarationAsRead(processor.processorDeclaration),
  })),
});

const declarationAsRead = (declaration: ProcessorDeclaration): ProcessorDeclaration => {
  const known = declarationOf(declaration.id);
  if (known?.revision === declaration.revision) return known;
  return { ...declaration, displayName: declaration.displayName ?? '', description: declaration.description ?? '' };
};

const withHistory = <Kept>(state: TemplatesState<Kept>, id: string, history: TemplateHistory<Kept>): TemplatesState<Kept> => ({
  templates: { ...state.templates, [id]: history },
  nextRevision: state.nextRevision + 1,
});

const without = <Kept>({ templates, nextRevision }: TemplatesState<Kept>, id: string): TemplatesState<Kept> => {
  const { [id]: _, ...others } = templates;
  return { templates: others, nextRevision: nextRevision + 1 };
};

/** Folds of a user's own templates and overlays (none before the first event), and of the built-in ones, which exist from the start. */
const templatesDeciders = <Kept>(keep: (template: StreamConfigurationTemplate) => Kept) => {
  const none: TemplatesState<Kept> = { templates: {}, nextRevision: 0 };
  const shipped: TemplatesState<Kept> = {
    templates: Object.fromEntries(
      BUILTIN_TEMPLATES.map((template) => [
        template.id,
        { current: keep(template), baseVersion: null, createdTimestamp: '', lastVersion: template.version, revisions: [] },
      ]),
    ),
    nextRevision: 0,
  };
  /** Returns a new state. `time` is that of the event, ISO 8601. */
  const evolve = (state: TemplatesState<Kept>, event: TemplatesEvent, time: string): TemplatesState<Kept> => {
    switch (event.type) {
      case 'TemplateSaved': {
        const { template, baseVersion } = event.data;
        const known = historyOf(state, template.id);
        return withHistory(state, template.id, {
          current: keep(templateAsRead(template)),
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
        return known.baseVersion === null && !isShipped(event.data.templateId)
          ? without(state, event.data.templateId)
          : withHistory(state, event.data.templateId, { ...known, current: null });
      }
      default:
        return event satisfies never;
    }
  };
  return { own: { initialState: () => none, evolve }, builtin: { initialState: () => shipped, evolve } };
};

export const { own: ownTemplatesDecider, builtin: builtinTemplatesDecider } = templatesDeciders(keptOf);
/** The same with the contents of all templates, for auditors. */
export const wholeTemplatesDeciders = templatesDeciders((template) => template);

/** A user's templates: own ones and overlays before the built-in ones. */
export interface TemplateLayers {
  readonly own: TemplatesState;
  readonly builtin: TemplatesState;
}

export type TemplateOrigin = 'built-in' | 'copy' | 'own';

/** A template as a user sees it. `layer` distinguishes own templates and overlays from built-in ones. */
export interface VisibleTemplate {
  readonly template: StreamConfigurationTemplate;
  readonly layer: 'builtin' | 'user';
  /** `copy`: a private overlay, over the built-in one of the same id. */
  readonly origin: TemplateOrigin;
}

/** The same without its content. */
export interface TemplatePlace extends KeptTemplate, Omit<VisibleTemplate, 'template'> {
  readonly id: string;
  /** Of the event with its content, in the event stream of its layer; `null`: as shipped. */
  readonly revision: number | null;
}

const placeOf = (id: string, history: TemplateHistory | undefined, as: Pick<TemplatePlace, 'layer' | 'origin'>): TemplatePlace | null => {
  if (!history?.current) return null;
  const { version, name, operations } = history.current;
  const revision = lastNumber(history.revisions) ?? null;
  return { id, version, name, operations, revision, ...as };
};

/** The user's own template or overlay, otherwise the built-in one; `null` if there is neither. */
export const visibleTemplate = ({ own, builtin }: TemplateLayers, id: string): TemplatePlace | null =>
  placeOf(id, historyOf(own, id), { layer: 'user', origin: originOf(builtin, id) }) ?? builtinTemplate({ builtin }, id);

/** Of a user's own template. */
export const originOf = (builtin: TemplatesState, id: string): TemplateOrigin => (historyOf(builtin, id) ? 'copy' : 'own');

/** The built-in template for everyone without an overlay; `null` if there is none. */
export const builtinTemplate = ({ builtin }: Pick<TemplateLayers, 'builtin'>, id: string): TemplatePlace | null =>
  placeOf(id, historyOf(builtin, id), { layer: 'builtin', origin: 'built-in' });

/** A built-in template as shipped. Throws for any other id. */
export const shippedTemplate = (id: string): StreamConfigurationTemplate => {
  const template = BUILTIN_TEMPLATES.find((one) => one.id === id);
  if (!template) throw new Error(`the platform ships no template ${id}`);
  return template;
};

/** Tag of a template's state: distinguishes an overlay from the built-in template with the same id and version. */
export const templateTag = ({ layer, version }: Pick<TemplatePlace, 'layer' | 'version'>): string => `${layer}-${version}`;

/** A version of a template; `null` for an unknown one. */
export const versionOf = (layers: TemplateLayers, place: TemplatePlace, version: number): TemplatePlace | null => {
  if (version === place.version) return place;
  const { id, layer } = place;
  const history = historyOf(layer === 'user' ? layers.own : layers.builtin, id);
  const index = history ? countOf(history.revisions) - 1 - (history.lastVersion - version) : -1;
  const revision = history && version <= history.lastVersion && index >= 0 ? numberAt(history.revisions, index) : undefined;
  if (revision !== undefined) return { ...place, version, revision };
  const isFirst = layer === 'builtin' && BUILTIN_TEMPLATES.some((one) => one.id === id && one.version === version);
  return isFirst ? { ...place, version, revision: null } : null;
};

/** All templates of the user, newest first, then by id. An overlay is in the place of its built-in template. */
export const visibleTemplates = ({ own, builtin }: TemplateLayers): TemplatePlace[] => {
  const ids = new Set([...Object.keys(own.templates), ...Object.keys(builtin.templates)]);
  const found = [...ids].flatMap((id) => {
    const visible = visibleTemplate({ own, builtin }, id);
    const created = historyOf(builtin, id)?.createdTimestamp ?? historyOf(own, id)?.createdTimestamp ?? '';
    return visible ? [{ visible, created }] : [];
  });
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return found.sort((a, b) => order(b.created, a.created) || order(a.visible.id, b.visible.id)).map(({ visible }) => visible);
};
