import { isoTime } from '../../clock.ts';
import { isSealsEvent } from '../../domain/audit/events.ts';
import type { RecoveredDelivery } from '../../domain/delivery/events.ts';
import { findEndpoint } from '../../domain/webhookEndpoints/state.ts';
import { listensTo } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { findBackwards } from '../../stores/pages.ts';
import { addressDelivery, byRenderer, MOST_PENDING, numberingFrom, sourceOf } from '../plan/fanOut.ts';
import { RENDERER_OF, WEBHOOK_SOURCE_TYPES, webhookTypes } from '../plan/webhookTypes.ts';
import { type AnswerDeps, answerFact } from './answerFact.ts';
import { type KnownDelivery, knownDeliveries } from './history.ts';

const RECOVERED_TOGETHER = 400;
const ROOM_MILLISECONDS = 1_000;
/** Greatest difference between the clocks of nodes. */
const CLOCK_MARGIN_MILLISECONDS = 60_000;

/** Schedules what an endpoint has missed `since` a time, or `after` a position. Repeating it schedules nothing twice. */
export const recover = async (
  deps: AnswerDeps,
  subject: string,
  request: RecordedEvent,
  { endpointId, since, after }: { endpointId: string; since: string | null; after: string | null },
): Promise<void> => {
  // The facts of all events read so far must be in the history.
  await deps.writer.caughtUp();
  const known = await knownDeliveries(deps.log, subject, endpointId, request.id);
  let scheduled = known.answered;
  let stopped = false;
  const flush = async (missed: readonly Missed[], last: boolean): Promise<void> => {
    await roomForPending(deps, endpointId);
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
    if (found.length >= RECOVERED_TOGETHER) await flush(found.splice(0), false);
    if (stopped) return;
  }
  await flush(found, true);
};

/**
 * A recovery waits while more deliveries are pending than may be, so it exceeds the limit by one batch at most. If it needed room for its whole batch,
 * new events would take every free place before it.
 */
const roomForPending = async ({ writer, endpoints, clock, signal }: AnswerDeps, endpointId: string): Promise<void> => {
  const isEnabled = () => findEndpoint(endpoints.newest, endpointId)?.enabled === true;
  while (writer.state.pending.size > MOST_PENDING && isEnabled() && !signal.aborted) await clock.pause(ROOM_MILLISECONDS, signal);
};

/** A delivery to schedule, and the version that renders its body. */
interface Missed {
  readonly delivery: RecoveredDelivery;
  readonly renderer: number;
}

/** Deliveries of an event that match the endpoint's present filter and that failed, were exhausted, or were never scheduled. */
const findMissed = async (
  { contexts, endpoints }: AnswerDeps,
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
  { log, signal }: AnswerDeps,
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
