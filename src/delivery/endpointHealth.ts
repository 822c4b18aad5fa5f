import type { Clock } from '../clock.ts';
import { disableWebhookEndpoint } from '../commands/webhookEndpoints.ts';
import type { PendingDelivery } from '../domain/delivery/state.ts';
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
const GONE = 'The receiver answered 410 Gone.';
const ALL_FAILED = 'All deliveries have failed for 24 hours.';

/** Carries out what attempts say about the endpoints of one user: pauses those that asked for it (`Retry-After`), and disables those that must be. */
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
  disableGone(pending: PendingDelivery, sets: EndpointSets, url: string): Promise<void> {
    return this.#disable(pending, sets, { reason: GONE, url });
  }

  /** After a failure of the endpoint (`endpointFails` in `retryRules.ts`) at `at`, ISO 8601. */
  async disableIfFailingForADay(pending: PendingDelivery, sets: EndpointSets, { state }: FactWriter, at: string): Promise<void> {
    const { endpointId } = pending.delivery;
    const since = state.failing.get(endpointId);
    if (since === undefined || Date.parse(at) - Date.parse(since) < FAILING_MILLISECONDS) return;
    const endpoint = findEndpoint(sets.newest, endpointId);
    // Enabling an endpoint forgets its earlier failures.
    if (endpoint && endpoint.enabledTimestamp > since) state.restartFailing(endpointId, at);
    else await this.#disable(pending, sets, { reason: ALL_FAILED, failingSince: since });
  }

  async #disable(
    { delivery }: PendingDelivery,
    sets: EndpointSets,
    why: { reason: string; url?: string; failingSince?: string },
  ): Promise<void> {
    const { endpointId, deliveryId } = delivery;
    const context = { subject: this.#subject, actor: 'delivery', correlationId: deliveryId, causationId: deliveryId };
    const endpoint = { endpointId, dynamic: delivery.dynamicStreamId !== null, ...why };
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error, endpointId }, 'disabling an endpoint failed; retrying');
    const disable = () => disableWebhookEndpoint(this.#deps, endpoint, context);
    const stored = await retrying(disable, { clock, signal: this.#partitionLost, onFailure }).catch(() => null);
    if (stored) sets.learn(stored.state, stored.events);
  }
}
