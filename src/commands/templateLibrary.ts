import { Problem } from '../domain/problem.ts';
import { BUILTIN_NAMES } from '../domain/templates/builtinTemplates.ts';
import {
  builtinTemplate,
  shippedTemplate,
  type TemplatePlace,
  type VisibleTemplate,
  versionOf,
  visibleTemplate,
  visibleTemplates,
} from '../domain/templates/state.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { loadTemplates, templateAt } from './templates.ts';

/** A user's current templates: folded from the log, cached, and updated with new events at each read. Contents are read from the log one at a time. */
export class TemplateLibrary {
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** `null` if the user sees no such template, or no such version of it. */
  async find(subject: string, id: string, version?: number): Promise<VisibleTemplate | null> {
    const layers = await loadTemplates(this.#log, subject);
    const newest = visibleTemplate(layers, id);
    const place = newest && version !== undefined ? versionOf(layers, newest, version) : newest;
    return place && this.at(subject, place);
  }

  /**
   * The template that a caller chooses: by its id, by the short name of a built-in one, or by the name of one of their own. `null` if there is none. Throws
   * 400 for a name that several of their own have.
   */
  async choose(subject: string, idOrName: string): Promise<VisibleTemplate | null> {
    const place = await this.#choose(subject, idOrName);
    return place && this.at(subject, place);
  }

  /** Id of the template that a caller chooses; what they gave if there is none. */
  async idOf(subject: string, idOrName: string): Promise<string> {
    return (await this.#choose(subject, idOrName))?.id ?? idOrName;
  }

  async #choose(subject: string, idOrName: string): Promise<TemplatePlace | null> {
    const layers = await loadTemplates(this.#log, subject);
    const found = visibleTemplate(layers, idOrName) ?? visibleTemplate(layers, BUILTIN_NAMES.get(idOrName) ?? '');
    if (found) return found;
    const named = visibleTemplates(layers).filter(({ layer, name }) => layer === 'user' && name === idOrName);
    if (named.length < 2) return named[0] ?? null;
    const ids = named.map(({ id }) => id).join(', ');
    throw new Problem(
      'GENERAL_VALIDATION_ERROR',
      `You have ${named.length} templates named ${JSON.stringify(idOrName)}. Give the id of one: ${ids}.`,
    );
  }

  /** The built-in template for everyone without a copy, or as shipped. `null` if the id is not of a built-in one. */
  async builtin(subject: string, id: string, layer: 'builtin' | 'shipped'): Promise<VisibleTemplate | null> {
    const place = builtinTemplate(await loadTemplates(this.#log, subject), id);
    if (place && layer === 'shipped') return { template: shippedTemplate(id), layer: 'builtin', origin: 'built-in' };
    return place && this.at(subject, place);
  }

  /** Newest first, then by id. */
  async list(subject: string): Promise<TemplatePlace[]> {
    return visibleTemplates(await loadTemplates(this.#log, subject));
  }

  /** A listed template with its content, in the version that was listed. */
  at(subject: string, place: TemplatePlace): Promise<VisibleTemplate | null> {
    return templateAt(this.#log, subject, place);
  }
}
