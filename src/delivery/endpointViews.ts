import {
  isWebhookEndpointsEvent,
  type WebhookEndpointsState,
  webhookEndpointsDecider,
  webhookEndpointsEventStream,
} from '../domain/webhookEndpoints/webhookEndpoints.ts';
import type { EventLog, RecordedEvent } from '../stores/eventLog.ts';

/** One fold of a user's endpoints, up to a revision. */
interface View {
  readonly state: WebhookEndpointsState;
  readonly revision: bigint;
}

const evolved = (view: View, event: RecordedEvent): View =>
  event.revision > view.revision && isWebhookEndpointsEvent(event)
    ? { state: webhookEndpointsDecider.evolve(view.state, event, event.metadata.time), revision: event.revision }
    : view;

const PAGE = 500;

/**
 * A user's endpoints, twice: as of the position that the reading of the log has come to, which says who hears of an event, and as of the newest event
 * known, which says where an attempt goes. Both go on with the events that the reading brings.
 */
export class EndpointViews {
  #atReading: View;
  #newest: View;

  private constructor(atReading: View, newest: View) {
    this.#atReading = atReading;
    this.#newest = newest;
  }

  /** Events up to `position`, the last that was handled, count for the reading; `null`: none. Rejects with `StoreUnavailable`. */
  static async load(log: EventLog, subject: string, position: string | null): Promise<EndpointViews> {
    const nothing: View = { state: webhookEndpointsDecider.initialState(), revision: -1n };
    let [atReading, newest] = [nothing, nothing];
    for (let from = 0n; ; ) {
      const page = await log.readStream(webhookEndpointsEventStream(subject), { from, limit: PAGE });
      for (const event of page) {
        if (position !== null && event.position <= position) atReading = evolved(atReading, event);
        newest = evolved(newest, event);
        from = event.revision + 1n;
      }
      if (page.length < PAGE) return new EndpointViews(atReading, newest);
    }
  }

  get atReading(): WebhookEndpointsState {
    return this.#atReading.state;
  }

  get newest(): WebhookEndpointsState {
    return this.#newest.state;
  }

  /** What was appended just now, and what it led to: the reading has yet to come to it. */
  learn(state: WebhookEndpointsState, events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (last && last.revision > this.#newest.revision) this.#newest = { state, revision: last.revision };
  }

  /** The reading has come to an event of the set. */
  evolve(event: RecordedEvent): void {
    this.#atReading = evolved(this.#atReading, event);
    this.#newest = evolved(this.#newest, event);
  }
}
