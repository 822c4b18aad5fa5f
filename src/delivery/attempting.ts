import type { Clock } from '../clock.ts';
import type { WebhookSecrets } from '../commands/webhookSecrets.ts';
import type { RecordedAttempt } from '../domain/delivery/delivery.ts';
import type { PendingDelivery } from '../domain/delivery/pendingDeliveries.ts';
import { findEndpoint, type WebhookEndpointsState } from '../domain/webhookEndpoints/webhookEndpoints.ts';
import type { Span, Tracing } from '../tracing.ts';
import { attemptRecord } from './attemptRecord.ts';
import { type Bodies, NothingToTell } from './bodies.ts';
import type { Flight } from './dispatcher.ts';
import type { Excerpts } from './excerpts.ts';
import { bodyFor } from './rendering.ts';
import type { Schedule } from './schedule.ts';
import type { AttemptEnd, Sender } from './sender.ts';
import { signed } from './signature.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly bodies: Bodies;
  readonly excerpts: Excerpts;
  readonly sender: Sender;
  readonly secrets: WebhookSecrets;
  readonly schedule: Schedule;
  /** From 0 to 1: the jitter. */
  readonly random: () => number;
  readonly tracing: Tracing;
}

/** An attempt that has ended, and the fact that it becomes. */
export interface Attempted {
  readonly end: AttemptEnd;
  readonly endedAt: number;
  readonly record: RecordedAttempt;
}

/** Its source is not in the log any more: nothing can be sent, now or later. */
export const UNTOLD: AttemptEnd = { outcome: 'refused', status: null, reason: 'event not readable', retryAfter: null, excerpt: null };

interface Prepared {
  readonly span: Span;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const prepare = async (
  { clock, bodies, secrets, tracing }: AttemptDeps,
  subject: string,
  endpoints: WebhookEndpointsState,
  { delivery, source, batch, attempts }: PendingDelivery,
): Promise<Prepared> => {
  const told = await bodies.of(source, delivery.type, batch.renderer);
  const body = bodyFor(told, delivery.endpointId);
  const now = clock.now();
  const endpoint = delivery.dynamicStreamId === null ? findEndpoint(endpoints, delivery.endpointId) : undefined;
  const valid = endpoint ? secrets.signingSecrets(endpoint, now) : secrets.accountSecrets(subject, endpoints, now);
  const span = tracing.begin({
    name: `deliver ${delivery.type}`,
    kind: 'client',
    correlationId: told.correlationId,
    attributes: { 'tributary.delivery_id': delivery.deliveryId, 'tributary.attempt': attempts + 1 },
  });
  const headers = {
    'content-type': 'application/json',
    traceparent: span.traceparent,
    ...signed(delivery.eventId, now, body, valid),
    'webhook-attempt': String(attempts + 1),
    // A ping tells of nothing in the log.
    ...(delivery.sequence !== null && {
      'webhook-sequence': String(delivery.sequence),
      'webhook-event-stream': source.sourceEventStream,
      'webhook-revision': source.sourceRevision,
      'webhook-position': source.sourcePosition,
    }),
  };
  return { span, body, headers };
};

const resultOf = (end: AttemptEnd | 'cut off'): NonNullable<Parameters<Span['end']>[0]> => {
  if (end === 'cut off') return { failed: end };
  const attributes = { 'tributary.outcome': end.outcome, ...(end.status !== null && { 'http.response.status_code': end.status }) };
  return { attributes, failed: end.outcome === 'delivered' ? null : (end.reason ?? end.outcome) };
};

/**
 * One attempt, from the log to the answer. `cut off` when the node gave up, or has lost the partition (`held`) before anything was sent: that attempt does not
 * count. Rejects with `StoreUnavailable` when the log cannot be read: then nothing was sent.
 */
export const makeAttempt = async (
  deps: AttemptDeps,
  { subject, endpoints, url, held }: { subject: string; endpoints: WebhookEndpointsState; url: string; held: AbortSignal },
  pending: PendingDelivery,
  flight: Flight,
): Promise<Attempted | 'cut off'> => {
  const { clock, sender, excerpts } = deps;
  const prepared = await prepare(deps, subject, endpoints, pending).catch((error: unknown) => {
    if (error instanceof NothingToTell) return null;
    throw error;
  });
  const at = clock.now();
  const start = clock.monotonic();
  // A log that was slow to tell what to send may have taken longer than the lease.
  const send = async ({ headers, body }: Prepared) => (held.aborted ? 'cut off' : sender.send(url, headers, body, flight));
  const end = prepared ? await send(prepared) : UNTOLD;
  prepared?.span.end(resultOf(end));
  if (end === 'cut off') return end;
  const milliseconds = Math.round(clock.monotonic() - start);
  const response = end.excerpt === null ? null : await excerpts.keep(subject, end.excerpt);
  const endedAt = clock.now();
  const record = attemptRecord(pending, end, { at, endedAt, milliseconds, response, random: deps.random() }, deps.schedule);
  return { end, endedAt, record };
};
