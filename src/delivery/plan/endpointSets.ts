import { isWebhookEndpointsEvent, webhookEndpointsEventStream } from '../../domain/webhookEndpoints/events.ts';
import { type WebhookEndpointsState, webhookEndpointsDecider } from '../../domain/webhookEndpoints/state.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { eventStreamPages } from '../../stores/pages.ts';

/** A user's endpoints as of a revision. */
interface EndpointSet {
  readonly state: WebhookEndpointsState;
  readonly revision: bigint;
}

const advance = (set: EndpointSet, event: RecordedEvent): EndpointSet =>
  event.revision > set.revision && isWebhookEndpointsEvent(event)
    ? { state: webhookEndpointsDecider.evolve(set.state, event, event.metadata.time), revision: event.revision }
    : set;

const PAGE = 500;

/**
 * A user's endpoints in two states: as of the position of the log reader, which decides who gets an event, and as of the newest known event, which
 * decides where an attempt is sent. The log reader advances both.
 */
export class EndpointSets {
  #atReading: EndpointSet;
  #newest: EndpointSet;

  private constructor(atReading: EndpointSet, newest: EndpointSet) {
    this.#atReading = atReading;
    this.#newest = newest;
  }

  /** `position`: the last one that the log reader has handled; `null` for none. Rejects with `StoreUnavailable`. */
  static async load(log: EventLog, subject: string, position: string | null): Promise<EndpointSets> {
    const nothing: EndpointSet = { state: webhookEndpointsDecider.initialState(), revision: -1n };
    let [atReading, newest] = [nothing, nothing];
    for await (const page of eventStreamPages(log, webhookEndpointsEventStream(subject), PAGE))
      for (const event of page) {
        if (position !== null && event.position <= position) atReading = advance(atReading, event);
        newest = advance(newest, event);
      }
    return new EndpointSets(atReading, newest);
  }

  get atReading(): WebhookEndpointsState {
    return this.#atReading.state;
  }

  get newest(): WebhookEndpointsState {
    return this.#newest.state;
  }

  /** Takes events that this node has just appended, before the reading reaches them. */
  learn(state: WebhookEndpointsState, events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (last && last.revision > this.#newest.revision) this.#newest = { state, revision: last.revision };
  }

  /** Takes an event that the reading has reached. */
  evolve(event: RecordedEvent): void {
    this.#atReading = advance(this.#atReading, event);
    this.#newest = advance(this.#newest, event);
  }
}
