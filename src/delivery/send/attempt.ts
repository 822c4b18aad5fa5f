import type { Clock } from '../../clock.ts';
import type { WebhookSecrets } from '../../commands/webhookSecrets.ts';
import type { PendingDelivery } from '../../domain/delivery/state.ts';
import { findEndpoint, type WebhookEndpointsState } from '../../domain/webhookEndpoints/state.ts';
import type { Span, Tracing } from '../../tracing.ts';
import type { Flight } from '../queue/flight.ts';
import { type AttemptEnd, endWithoutResponse } from '../retryRules.ts';
import { type Bodies, SourceUnreadable } from './bodies.ts';
import { bodyFor } from './rendering.ts';
import type { Sender } from './sender.ts';
import { sign } from './signature.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly bodies: Bodies;
  readonly sender: Sender;
  readonly secrets: WebhookSecrets;
  readonly tracing: Tracing;
}

export interface AttemptResult {
  readonly end: AttemptEnd;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly milliseconds: number;
}

/** Nothing was sent, and nothing will be: see `SourceUnreadable`. */
const UNREADABLE = endWithoutResponse('refused', 'event not readable', 'untested');

/** Where an attempt goes. */
export interface Target {
  readonly subject: string;
  readonly endpoints: WebhookEndpointsState;
  readonly url: string;
  /** Aborts when this node no longer holds the user's partition. */
  readonly partitionLost: AbortSignal;
}

interface Prepared {
  readonly span: Span;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const prepare = async (
  { clock, bodies, secrets, tracing }: AttemptDeps,
  subject: string,
  endpoints: WebhookEndpointsState,
  { delivery, source, scheduling, attempts }: PendingDelivery,
): Promise<Prepared> => {
  const webhook = await bodies.of(source, delivery.type, scheduling.renderer);
  const body = bodyFor(webhook, delivery.endpointId);
  const now = clock.now();
  const endpoint = delivery.dynamicStreamId === null ? findEndpoint(endpoints, delivery.endpointId) : undefined;
  const valid = endpoint ? secrets.signingSecrets(endpoint, now) : secrets.accountSecrets(subject, endpoints, now);
  const span = tracing.begin({
    name: `deliver ${delivery.type}`,
    kind: 'client',
    correlationId: webhook.correlationId,
    attributes: { 'tributary.delivery_id': delivery.deliveryId, 'tributary.attempt': attempts + 1 },
  });
  const own = endpoint?.headers ?? {};
  const isOwn = (name: string) => Object.keys(own).some((one) => one.toLowerCase() === name);
  const headers = {
    ...own,
    'content-type': 'application/json',
    ...(!isOwn('traceparent') && { traceparent: span.traceparent }),
    ...sign(delivery.eventId, now, body, valid),
    'webhook-attempt': String(attempts + 1),
    // A ping has no event in the log.
    ...(delivery.sequence !== null && {
      'webhook-sequence': String(delivery.sequence),
      'webhook-event-stream': source.sourceEventStream,
      'webhook-revision': source.sourceRevision,
      'webhook-position': source.sourcePosition,
    }),
  };
  return { span, body, headers };
};

const resultOf = (end: AttemptEnd | 'abandoned'): NonNullable<Parameters<Span['end']>[0]> => {
  if (end === 'abandoned') return { failed: end };
  // Traces keep the word that the fact has too.
  const outcome = end.verdict === 'retry' ? 'failed' : end.verdict;
  const attributes = { 'tributary.outcome': outcome, ...(end.status !== null && { 'http.response.status_code': end.status }) };
  return { attributes, failed: end.verdict === 'delivered' ? null : (end.reason ?? end.verdict) };
};

/**
 * One attempt, from the log to the response. `abandoned` if the node stopped it, or lost the partition before anything was sent: that attempt is not
 * recorded. Rejects if an error on this side prevented it, such as an unavailable log: then nothing was sent.
 */
export const makeAttempt = async (
  deps: AttemptDeps,
  { subject, endpoints, url, partitionLost }: Target,
  pending: PendingDelivery,
  flight: Flight,
): Promise<AttemptResult | 'abandoned'> => {
  const { clock, sender } = deps;
  const prepared = await prepare(deps, subject, endpoints, pending).catch((error: unknown) => {
    if (error instanceof SourceUnreadable) return null;
    throw error;
  });
  const at = clock.now();
  const start = clock.monotonic();
  // Reading the log may have taken longer than the lease.
  const send = async ({ headers, body }: Prepared) => {
    if (partitionLost.aborted) return 'abandoned';
    return sender.send(url, headers, body, flight);
  };
  const end = prepared ? await send(prepared) : UNREADABLE;
  prepared?.span.end(resultOf(end));
  if (end === 'abandoned') return end;
  return { end, at, milliseconds: Math.round(clock.monotonic() - start) };
};
