import { loadTemplates } from '../../commands/templates.ts';
import { BUILTIN_TEMPLATES_EVENT_STREAM, isTemplatesEvent, templatesEventStream } from '../../domain/templates/events.ts';
import {
  builtinTemplate,
  shippedTemplate,
  type TemplateLayers,
  type VisibleTemplate,
  versionOf,
  visibleTemplate,
  visibleTemplates,
} from '../../domain/templates/state.ts';
import type { StreamConfigurationTemplate } from '../../domain/templates/template.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';

/** A list that is being written keeps the whole state: reading it again for another list would hold it in memory twice. */
const listed = new WeakMap<VisibleTemplate, TemplateLayers>();

/** A user's current templates: folded from the log, cached, and updated with new events at each read. */
export class TemplateLibrary {
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** `null` if the user sees no such template, or no such version of it. */
  async find(subject: string, id: string, version?: number): Promise<VisibleTemplate | null> {
    const layers = await loadTemplates(this.#log, subject);
    const visible = visibleTemplate(layers, id);
    if (!visible || version === undefined) return visible;
    const found = versionOf(layers, visible, version);
    if (!found) return null;
    if (!('revision' in found)) return { ...visible, template: found };
    const eventStream = visible.layer === 'user' ? templatesEventStream(subject) : BUILTIN_TEMPLATES_EVENT_STREAM;
    const template = await this.#saved(eventStream, found.revision);
    return template && { ...visible, template };
  }

  /** The built-in template for everyone without a copy, or as shipped. `null` if the id is not of a built-in one. */
  async builtin(subject: string, id: string, layer: 'builtin' | 'shipped'): Promise<VisibleTemplate | null> {
    const visible = builtinTemplate(await loadTemplates(this.#log, subject), id);
    return visible && layer === 'shipped' ? { ...visible, template: shippedTemplate(id) } : visible;
  }

  /** Newest first, then by id. */
  async list(subject: string): Promise<VisibleTemplate[]> {
    const layers = await loadTemplates(this.#log, subject);
    const visible = visibleTemplates(layers);
    for (const one of visible) listed.set(one, layers);
    return visible;
  }

  async #saved(eventStream: string, revision: number): Promise<StreamConfigurationTemplate | null> {
    const [event] = await this.#log.readStream(eventStream, { from: BigInt(revision), limit: 1 });
    return event && isTemplatesEvent(event) && event.type === 'TemplateSaved' ? event.data.template : null;
  }
}
