import { LRUCache } from 'lru-cache';
import { BUILTIN_TEMPLATES_EVENT_STREAM, type StreamConfigurationTemplate, templatesEventStream } from '../domain/template.ts';
import {
  evolveTemplates,
  initialTemplates,
  isTemplatesEvent,
  type TemplatesState,
  type VisibleTemplate,
  visibleTemplate,
  visibleTemplates,
} from '../domain/templates.ts';
import type { EventLog } from '../stores/eventLog.ts';

interface Folded {
  readonly state: TemplatesState;
  readonly next: bigint;
}

const MAX_REMEMBERED_USERS = 1_000;

/** The templates that a user sees, as of now: folded from the log, remembered, and each time brought up to date with what is new there. */
export class TemplateLibrary {
  readonly #log: EventLog;
  readonly #users = new LRUCache<string, Folded>({ max: MAX_REMEMBERED_USERS });
  #builtin: Folded = { state: initialTemplates('builtin'), next: 0n };

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** `null` when there is no such template, or no such version of it, that the user sees. */
  async find(subject: string, id: string, version?: number): Promise<VisibleTemplate | null> {
    return visibleTemplate(await this.#layers(subject), id, version);
  }

  /** Newest first, then by id. */
  async list(subject: string): Promise<StreamConfigurationTemplate[]> {
    return visibleTemplates(await this.#layers(subject));
  }

  async #layers(subject: string): Promise<{ own: TemplatesState; builtin: TemplatesState }> {
    const [own, builtin] = await Promise.all([
      this.#upToDate(templatesEventStream(subject), this.#users.get(subject) ?? { state: initialTemplates('user'), next: 0n }),
      this.#upToDate(BUILTIN_TEMPLATES_EVENT_STREAM, this.#builtin),
    ]);
    this.#users.set(subject, own);
    this.#builtin = builtin;
    return { own: own.state, builtin: builtin.state };
  }

  async #upToDate(eventStream: string, known: Folded): Promise<Folded> {
    const events = await this.#log.readStream(eventStream, { from: known.next });
    return events.reduce<Folded>(
      ({ state }, event) => ({
        state: isTemplatesEvent(event) ? evolveTemplates(state, event, event.metadata.time) : state,
        next: event.revision + 1n,
      }),
      known,
    );
  }
}
