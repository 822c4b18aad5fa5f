import { isWebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';

const COLLECTION = 'sealListeners';
const ID = 'all';
const NAMING_TYPES = ['EndpointCreated', 'EndpointUpdated'];

/**
 * Users who have ever named `audit.sealed` in an endpoint. A seal belongs to no user, so this set finds its receivers. The set only grows: whether
 * an endpoint receives a seal is decided by its user's endpoints at the seal's position.
 *
 * The document saves reading the whole log at each start. Any node may write it, since every version of it is correct for its position.
 */
export class SealListeners {
  readonly #documents: Documents;
  readonly #log: EventLog;
  readonly #subjects = new Set<string>();
  /** The set is complete up to here; `null` before the first event. */
  #through: Position | null = null;
  #loaded = false;

  constructor(documents: Documents, log: EventLog) {
    this.#documents = documents;
    this.#log = log;
  }

  get subjects(): Iterable<string> {
    return this.#subjects;
  }

  /** Adds the user of an event, if it names `audit.sealed`. */
  learn(event: RecordedEvent): void {
    if (!isWebhookEndpointsEvent(event)) return;
    if (event.type !== 'EndpointCreated' && event.type !== 'EndpointUpdated') return;
    if (event.data.events.includes(AUDIT_SEALED)) this.#subjects.add(event.metadata.subject);
  }

  /** Completes the set up to the head of the log, once. Rejects with `StoreUnavailable`. */
  async load(signal: AbortSignal): Promise<void> {
    if (this.#loaded) return;
    await this.#documents.ensureCollection({ name: COLLECTION, indexes: [] });
    const stored = await this.#documents.get(COLLECTION, ID);
    if (typeof stored?.body.through === 'string' && Array.isArray(stored.body.subjects)) {
      for (const subject of stored.body.subjects) this.#subjects.add(String(subject));
      // Only `save` writes it.
      this.#through = stored.body.through as Position;
    }
    await this.#catchUp(signal);
    if (signal.aborted) return;
    this.#loaded = true;
    await this.save();
  }

  /** Saves the set for the next start. */
  async save(): Promise<void> {
    const through = this.#through;
    if (through === null) return;
    const body = { through, subjects: [...this.#subjects] };
    if (!(await this.#documents.replace(COLLECTION, ID, body))) await this.#documents.create(COLLECTION, ID, body);
  }

  /** The log reader has handled everything up to here. */
  passed(position: Position | null): void {
    if (position !== null && (this.#through === null || this.#through < position)) this.#through = position;
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const reading = AbortSignal.any([signal, ended.signal]);
    for await (const item of this.#log.subscribe({ after: this.#through, filter: { types: NAMING_TYPES }, signal: reading })) {
      if (item.kind === 'event') this.learn(item.event);
      this.passed(item.kind === 'event' ? item.event.position : item.position);
      if (item.kind === 'caughtUp') break;
    }
    ended.abort();
  }
}
