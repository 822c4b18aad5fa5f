import { BUILTIN_TEMPLATES } from './builtinTemplates.ts';
import type { StreamConfigurationTemplate, TemplatesEvent } from './template.ts';

/** Whether an event of the log is one of a set of templates. Its data were checked against the type's schema when it was appended. */
export const isTemplatesEvent = <T extends { type: string; data: object }>(event: T): event is T & TemplatesEvent =>
  event.type === 'TemplateSaved' || event.type === 'TemplateDeleted';

/** One template of a user's, or of the built-in ones: every version that there has been, and what it is now. */
export interface TemplateHistory {
  /** `null` once deleted. */
  readonly current: StreamConfigurationTemplate | null;
  /** ISO 8601, of its first version; the empty string for what the platform ships. */
  readonly createdTimestamp: string;
  readonly versions: ReadonlyMap<number, StreamConfigurationTemplate>;
}

/** The templates of one event stream, by id. */
export type TemplatesState = ReadonlyMap<string, TemplateHistory>;

const shipped: TemplatesState = new Map(
  BUILTIN_TEMPLATES.map((template) => [template.id, { current: template, createdTimestamp: '', versions: new Map([[1, template]]) }]),
);

/** Before the first event: the platform's own templates are there from the start, a user has none. */
export const initialTemplates = (whose: 'builtin' | 'user'): TemplatesState => (whose === 'builtin' ? shipped : new Map());

/** A new state; the given one is left as it is. `time` is that of the event, ISO 8601. */
export const evolveTemplates = (state: TemplatesState, event: TemplatesEvent, time: string): TemplatesState => {
  switch (event.type) {
    case 'TemplateSaved': {
      const { template } = event.data;
      const known = state.get(template.id);
      const versions = new Map(known?.versions).set(template.version, template);
      return new Map(state).set(template.id, { current: template, createdTimestamp: known?.createdTimestamp ?? time, versions });
    }
    case 'TemplateDeleted': {
      const known = state.get(event.data.templateId);
      return known ? new Map(state).set(event.data.templateId, { ...known, current: null }) : state;
    }
    default: {
      const never: never = event;
      return never;
    }
  }
};

/** A template as a user sees it. `layer` tells a private overlay or own template from the one that everybody sees. */
export interface VisibleTemplate {
  readonly template: StreamConfigurationTemplate;
  readonly layer: 'builtin' | 'user';
}

/** The user's own one or overlay, else the built-in one; with `version` that version of it. `null` when there is none. */
export const visibleTemplate = (
  { own, builtin }: { own: TemplatesState; builtin: TemplatesState },
  id: string,
  version?: number,
): VisibleTemplate | null => {
  const mine = own.get(id);
  const layer = mine?.current ? 'user' : 'builtin';
  const history = layer === 'user' ? mine : builtin.get(id);
  if (!history?.current) return null;
  const template = version === undefined ? history.current : history.versions.get(version);
  return template ? { template, layer } : null;
};

/** All that the user sees, newest first, then by id. An overlay stands where its built-in template stood. */
export const visibleTemplates = ({ own, builtin }: { own: TemplatesState; builtin: TemplatesState }): StreamConfigurationTemplate[] => {
  const ids = new Set([...own.keys(), ...builtin.keys()]);
  const found = [...ids].flatMap((id) => {
    const visible = visibleTemplate({ own, builtin }, id);
    const created = builtin.get(id)?.createdTimestamp ?? own.get(id)?.createdTimestamp ?? '';
    return visible ? [{ template: visible.template, created }] : [];
  });
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return found.sort((a, b) => order(b.created, a.created) || order(a.template.id, b.template.id)).map(({ template }) => template);
};
