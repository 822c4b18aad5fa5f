import { type Clock, isoTime } from '../clock.ts';
import type { AppendContext } from '../commands/handle.ts';
import { disableWebhookEndpoint, reportEndpointHealth } from '../commands/webhookEndpoints.ts';
import type { RecordedAttempt } from '../domain/delivery/events.ts';
import type { PendingDelivery } from '../domain/delivery/state.ts';
import type { Disabling } from '../domain/webhookEndpoints/decisions.ts';
import { findEndpoint } from '../domain/webhookEndpoints/state.ts';
import type { Logger } from '../logger.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { retrying } from '../supervision/retrying.ts';
import type { FactWriter } from './facts/factWriter.ts';
import type { EndpointSets } from './plan/endpointSets.ts';
import type { AttemptEnd } from './retryRules.ts';

export interface HealthDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FAILING_MILLISECONDS = 24 * 3_600_000;
/** The owner is notified of an endpoint after this many failures in a row, over at least this time. */
const [REPORTED_FAILURES, REPORTED_MILLISECONDS] = [5, 60_000];
const GONE = 'The receiver answered 410 Gone.';
const ALL_FAILED = 'All deliveries have failed for 24 hours.';

/** Carries out what attempts say about the endpoints of one user: pauses those that asked for it (`Retry-After`), disables those that must be, and reports
 * those that begin to fail or work again. */
export class EndpointHealth {
  readonly #deps: HealthDeps;
  readonly #subject: string;
  /** Aborts when this node no longer holds the user's partition. */
  readonly #partitionLost: AbortSignal;
  /** Milliseconds since the epoch, by endpoint id. */
  readonly #pausedUntil = new Map<string, number>();

  constructor(deps: HealthDeps, subject: string, partitionLost: AbortSignal) {
    this.#deps = deps;
    this.#subject = subject;
    this.#partitionLost = partitionLost;
  }

  /** The end of the pause that an endpoint asked for, at most the delivery's deadline; `null` if the delivery may go now. */
  postponedTo({ scheduling, delivery, asked }: PendingDelivery, now: number): number | null {
    // Deliveries that a person asked for do not wait.
    const until = scheduling.once || asked ? undefined : this.#pausedUntil.get(delivery.endpointId);
    const to = Math.min(until ?? now, scheduling.deadline);
    return to > now ? to : null;
  }

  /** Notes the pause that a response asked for. A 2xx ends the pause. */
  noteResponse({ delivery }: PendingDelivery, { verdict, endpointPause }: AttemptEnd, endedAt: number): void {
    if (verdict === 'delivered') this.#pausedUntil.delete(delivery.endpointId);
    if (endpointPause !== null) this.#pausedUntil.set(delivery.endpointId, endedAt + endpointPause);
  }

  /** After a 410. Resolves when the endpoint is disabled, or the partition is lost. */
  disableGone(pending: PendingDelivery, sets: EndpointSets, { state }: FactWriter, url: string): Promise<void> {
    const { failures, lastSuccess } = state.seriesOf(pending.delivery.endpointId);
    // The 410 has not been recorded yet.
    return this.#disable(pending, sets, { reason: GONE, url }, { failures: failures + 1, lastSuccess });
  }

  /** After a failure of the endpoint (`endpointFails` in `retryRules.ts`) at `at`, ISO 8601. */
  async disableIfFailingForADay(pending: PendingDelivery, sets: EndpointSets, { state }: FactWriter, at: string): Promise<void> {
    const { endpointId } = pending.delivery;
    const since = state.failing.get(endpointId);
    if (since === undefined || Date.parse(at) - Date.parse(since) < FAILING_MILLISECONDS) return;
    const endpoint = findEndpoint(sets.newest, endpointId);
    // Enabling an endpoint forgets its earlier failures.
    if (endpoint && endpoint.enabledTimestamp > since) state.restartFailing(endpointId, at);
    else await this.#disable(pending, sets, { reason: ALL_FAILED, failingSince: since }, state.seriesOf(endpointId));
  }

  /** Reports an endpoint that has begun to fail, or works again, after an attempt at `url`. Tests do not count. */
  async report(pending: PendingDelivery, sets: EndpointSets, { state }: FactWriter, { url, record }: EndedRecord): Promise<void> {
    const { endpointId, dynamicStreamId, sequence } = pending.delivery;
    const endpoint = dynamicStreamId === null && sequence !== null ? findEndpoint(sets.newest, endpointId) : undefined;
    if (!endpoint) return;
    const before = state.seriesOf(endpointId).since;
    // Enabling an endpoint forgets its earlier failures.
    if (before !== null && before < endpoint.enabledTimestamp) state.restartFailing(endpointId, record.at);
    const { failures, since, lastSuccess } = state.seriesOf(endpointId);
    const { outcome, reason, at, milliseconds } = record;
    const ended = isoTime(Date.parse(at) + milliseconds);
    const fails =
      record.endpointFails &&
      since !== null &&
      failures >= REPORTED_FAILURES &&
      Date.parse(ended) - Date.parse(since) >= REPORTED_MILLISECONDS;
    if (fails && !endpoint.reportedFailing)
      await this.#append(pending, sets, (context) =>
        reportEndpointHealth(this.#deps, { endpointId, url, health: 'failing', reason, since, lastSuccess, failures }, context),
      );
    if (outcome === 'delivered' && endpoint.reportedFailing)
      await this.#append(pending, sets, (context) =>
        reportEndpointHealth(
          this.#deps,
          { endpointId, url, health: 'healthy', reason: null, since: ended, lastSuccess: ended, failures: 0 },
          context,
        ),
      );
  }

  #disable(
    pending: PendingDelivery,
    sets: EndpointSets,
    why: { reason: string; url?: string; failingSince?: string },
    { failures, lastSuccess }: { failures: number; lastSuccess: string | null },
  ): Promise<void> {
    const { endpointId, dynamicStreamId } = pending.delivery;
    const report = { since: isoTime(this.#deps.clock.now()), lastSuccess, failures };
    const disabling: Disabling =
      dynamicStreamId === null ? { endpointId, dynamic: false, ...why, report } : { endpointId, dynamic: true, reason: why.reason };
    return this.#append(pending, sets, (context) => disableWebhookEndpoint(this.#deps, disabling, context));
  }

  /** Repeats a command until its events are stored, or the partition is lost. */
  async #append({ delivery }: PendingDelivery, sets: EndpointSets, command: Command): Promise<void> {
    const { endpointId, deliveryId } = delivery;
    const context = { subject: this.#subject, actor: 'delivery', correlationId: deliveryId, causationId: deliveryId };
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error, endpointId }, 'changing an endpoint failed; retrying');
    const stored = await retrying(() => command(context), { clock, signal: this.#partitionLost, onFailure }).catch(() => null);
    if (stored) sets.learn(stored.state, stored.events);
  }
}

type Command = (context: AppendContext) => ReturnType<typeof disableWebhookEndpoint>;

interface EndedRecord {
  /** Where the attempt was sent. */
  readonly url: string;
  readonly record: RecordedAttempt;
}
