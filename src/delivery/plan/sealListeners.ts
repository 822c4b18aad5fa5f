import { isWebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';

const COLLECTION = 'sealListeners';
const ID = 'all';
const NAMING_TYPES = ['EndpointCreated', 'EndpointUpdated'];

/**
 * Users who have named `audit.sealed` in an endpoint at any time. A seal belongs to no user, so this is how its event finds them. The set only
 * grows: whether an endpoint listens when a seal is appended is decided by its user's endpoints at that position.
 *
 * The document saves reading the whole log at each start. Any node may write it, since each version of it is true by itself.
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

  /** Takes an event of the reading. */
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
      // Written by `save` alone.
      this.#through = stored.body.through as Position;
    }
    await this.#catchUp(signal);
    if (signal.aborted) return;
    this.#loaded = true;
    await this.save();
  }

  /** Keeps the set for the next start. */
  async save(): Promise<void> {
    const through = this.#through;
    if (through === null) return;
    const body = { through, subjects: [...this.#subjects] };
    if (!(await this.#documents.replace(COLLECTION, ID, body))) await this.#documents.create(COLLECTION, ID, body);
  }

  /** The reading has handled everything up to here. */
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
