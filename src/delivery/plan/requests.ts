import { type Clock, isoTime } from '../../clock.ts';
import { isSealsEvent } from '../../domain/audit/events.ts';
import type { DeliveryEvent, RecoveredDelivery } from '../../domain/delivery/events.ts';
import type { WebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';
import { findEndpoint } from '../../domain/webhookEndpoints/state.ts';
import { listensTo } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { findBackwards } from '../../stores/pages.ts';
import type { FactWriter } from '../facts/factWriter.ts';
import type { Schedule } from '../retryRules.ts';
import type { EndpointSets } from './endpointSets.ts';
import type { EventContexts } from './eventContexts.ts';
import { addressDelivery, byRenderer, MOST_PENDING, numberingFrom, sourceOf } from './fanOut.ts';
import { type KnownDelivery, knownDeliveries, knownDelivery } from './history.ts';
import { PING, RENDERER_OF, WEBHOOK_SOURCE_TYPES, webhookTypes } from './webhookTypes.ts';

/** What a person asked for: a recovery, a resend or a ping (`docs/webhooks.md`, "Recover missed events"). */
export type Request = Extract<WebhookEndpointsEvent, { type: 'RecoveryRequested' | 'ResendRequested' | 'PingRequested' }>;

export const isRequest = <E extends WebhookEndpointsEvent>(event: E): event is E & Request =>
  event.type === 'RecoveryRequested' || event.type === 'ResendRequested' || event.type === 'PingRequested';

export interface RequestDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly contexts: EventContexts;
  readonly writer: FactWriter;
  readonly endpoints: EndpointSets;
  readonly signal: AbortSignal;
}

type AnswerFact = Extract<DeliveryEvent, { type: 'DeliveriesRecovered' }>;

const RECOVERED_TOGETHER = 400;
const ROOM_MILLISECONDS = 1_000;
/** Greatest difference between the clocks of nodes. */
const CLOCK_MARGIN_MILLISECONDS = 60_000;

const answerFact = ({ clock, schedule }: RequestDeps, { id, position }: RecordedEvent, data: Partial<AnswerFact['data']>): AnswerFact => ({
  type: 'DeliveriesRecovered',
  data: {
    requestEventId: id,
    requestPosition: position,
    renderer: RENDERER_OF.full,
    deadline: isoTime(clock.now() + schedule.windowMilliseconds),
    once: true,
    deliveries: [],
    scheduled: data.deliveries?.length ?? 0,
    last: true,
    refused: null,
    ...data,
  },
});

/**
 * Answers a request with facts, unless it has been answered. An interrupted recovery continues where it stopped: its scheduled deliveries are
 * pending. Rejects with `StoreUnavailable`.
 */
export const answerRequest = async (deps: RequestDeps, subject: string, request: RecordedEvent & Request): Promise<void> => {
  if (request.position <= deps.writer.state.lastRequestPosition) return;
  if (!findEndpoint(deps.endpoints.newest, request.data.endpointId))
    return deps.writer.decide(() => [answerFact(deps, request, { refused: 'unknown' })]);
  if (request.type === 'PingRequested') return ping(deps, request, request.data);
  if (request.type === 'ResendRequested') return resend(deps, subject, request, request.data);
  return recover(deps, subject, request, request.data);
};

const ping = (deps: RequestDeps, request: RecordedEvent, { endpointId, deliveryId }: { endpointId: string; deliveryId: string }) => {
  const delivery = {
    ...addressDelivery(request.id, PING, endpointId, null),
    deliveryId,
    sequence: null,
    ...sourceOf(request),
    attempts: 0,
  };
  return deps.writer.decide(() => [answerFact(deps, request, { deliveries: [delivery] })]);
};

const resend = async (
  deps: RequestDeps,
  subject: string,
  request: RecordedEvent,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<void> => {
  await waitForFacts(deps);
  const known = await knownDelivery(deps.log, subject, deliveryId);
  await deps.writer.decide((state) => {
    // The endpoint may have been deleted while the facts were read. Each endpoint resends its own deliveries only.
    const isOwn = known?.delivery.endpointId === endpointId && findEndpoint(deps.endpoints.newest, endpointId) !== undefined;
    if (!isOwn) return [answerFact(deps, request, { refused: 'unknown' })];
    if (state.pending.has(deliveryId)) return [answerFact(deps, request, { refused: 'pending' })];
    return [answerFact(deps, request, { deliveries: [known.delivery], renderer: known.renderer })];
  });
};

/** Waits until the facts of all events read so far are durable. */
const waitForFacts = ({ writer }: RequestDeps): Promise<void> => writer.decide(() => []);

const recover = async (
  deps: RequestDeps,
  subject: string,
  request: RecordedEvent,
  { endpointId, since, after }: { endpointId: string; since: string | null; after: string | null },
): Promise<void> => {
  await waitForFacts(deps);
  const known = await knownDeliveries(deps.log, subject, endpointId, request.id);
  let scheduled = known.answered;
  let stopped = false;
  const flush = async (missed: readonly Missed[], last: boolean): Promise<void> => {
    const total = scheduled + missed.length;
    await deps.writer.decide((state) => {
      const endpoint = findEndpoint(deps.endpoints.newest, endpointId);
      // The endpoint may have been disabled or deleted meanwhile: then no more deliveries become pending.
      stopped = !endpoint?.enabled;
      if (stopped) return [answerFact(deps, request, { once: false, scheduled, refused: endpoint ? 'disabled' : 'unknown' })];
      const number = numberingFrom(state);
      const numberedDelivery = ({ delivery }: Missed) => (delivery.sequence === null ? { ...delivery, ...number(delivery) } : delivery);
      const answers = byRenderer(missed).map(({ renderer, all }) =>
        answerFact(deps, request, { renderer, deliveries: all.map(numberedDelivery), once: false, scheduled: total, last: false }),
      );
      const final = answers.pop() ?? answerFact(deps, request, { once: false, scheduled: total });
      return [...answers, { ...final, data: { ...final.data, last } }];
    });
    if (!stopped) scheduled = total;
  };
  const from = after === null ? await positionOfTime(deps.log, since ?? '') : (after as Position);
  const found: Missed[] = [];
  for await (const event of eventsOf(deps, subject, from, request.position)) {
    if (since !== null && Date.parse(event.metadata.time) < Date.parse(since)) continue;
    found.push(...(await findMissed(deps, endpointId, event, known.byDelivery)));
    if (found.length >= RECOVERED_TOGETHER) {
      await roomForPending(deps);
      await flush(found.splice(0), false);
    }
    if (stopped) return;
  }
  await flush(found, true);
};

/** A recovery waits while as many deliveries are pending as may be. */
const roomForPending = async ({ writer, clock, signal }: RequestDeps): Promise<void> => {
  while (writer.state.pending.size > MOST_PENDING && !signal.aborted) await clock.pause(ROOM_MILLISECONDS, signal);
};

/** A delivery to schedule, and the version that renders its body. */
interface Missed {
  readonly delivery: RecoveredDelivery;
  readonly renderer: number;
}

/** Deliveries of an event that an endpoint has missed: never scheduled, failed or exhausted, and matching its present filter. */
const findMissed = async (
  { contexts, endpoints }: RequestDeps,
  endpointId: string,
  event: RecordedEvent,
  known: ReadonlyMap<string, KnownDelivery>,
): Promise<Missed[]> => {
  const endpoint = findEndpoint(endpoints.newest, endpointId);
  if (!endpoint) return [];
  const types = webhookTypes(event, await contexts.of(event)).filter((type) => listensTo(endpoint.events, type));
  return types.flatMap((type): Missed[] => {
    const delivery = addressDelivery(event.id, type, endpointId, null);
    const before = known.get(delivery.deliveryId);
    if (!before)
      return [{ delivery: { ...delivery, sequence: null, ...sourceOf(event), attempts: 0 }, renderer: RENDERER_OF[endpoint.payload] }];
    return before.state === 'failed' || before.state === 'exhausted' ? [before] : [];
  });
};

/** The user's events that cause webhooks, and the seals, between two positions. */
async function* eventsOf(
  { log, signal }: RequestDeps,
  subject: string,
  after: Position | null,
  to: Position,
): AsyncGenerator<RecordedEvent> {
  const done = new AbortController();
  try {
    for await (const item of log.subscribe({
      after,
      filter: { types: WEBHOOK_SOURCE_TYPES },
      signal: AbortSignal.any([signal, done.signal]),
    })) {
      if (item.kind === 'caughtUp' || item.event.position >= to) return;
      // A seal belongs to no user. Whether the endpoint subscribed to it is decided later.
      if (item.event.metadata.subject === subject || isSealsEvent(item.event)) yield item.event;
    }
  } finally {
    done.abort();
  }
}

/** A position with only older events before it; `null` for the start. */
const positionOfTime = async (log: EventLog, since: string): Promise<Position | null> => {
  const oldest = isoTime(Date.parse(since) - CLOCK_MARGIN_MILLISECONDS);
  return (await findBackwards(log, null, ({ metadata }) => metadata.time < oldest))?.position ?? null;
};
