import { setImmediate } from 'node:timers/promises';
import { isoTime } from '../../clock.ts';
import { deliveryEventStream, isDeliveryEvent, type RecoveredDelivery } from '../../domain/delivery/events.ts';
import { webhookEndpointsEventStream } from '../../domain/webhookEndpoints/events.ts';
import { type Endpoint, findEndpoint } from '../../domain/webhookEndpoints/state.ts';
import { ALERT_TYPES, AUDIT_SEALED, listensTo, TRANSCRIPT_EDITED } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import { DamagedEventStream, type Position } from '../../stores/eventStore.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import { SEALS } from '../../stores/integrity/seals.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { eventStreamPages, logPages, pages } from '../../stores/pages.ts';
import { audienceOf } from '../plan/audience.ts';
import { EventContexts } from '../plan/eventContexts.ts';
import { addressDelivery, byRenderer, MOST_PENDING, numberingFrom, sourceOf } from '../plan/fanOut.ts';
import { bodyVersionOf, WEBHOOK_SOURCE_TYPES, webhookEventId, webhookTypes } from '../plan/webhookTypes.ts';
import { deadlineAfter } from '../retryRules.ts';
import { type AnswerDeps, answerFact, indexed, refuse } from './answerFact.ts';

const RECOVERED_TOGETHER = 400;
const ROOM_MILLISECONDS = 1_000;
/** Greatest difference between the clocks of nodes. */
const CLOCK_MARGIN_MILLISECONDS = 60_000;
const PAGE = 100;
/** A seal may take 700 kB. */
const SEALS_PAGE = 20;

/**
 * Schedules the events that an endpoint has missed `since` a time, or `after` a position. Repeating it schedules nothing twice. Reads only the user's own
 * event streams, one after another: deliveries are scheduled in this order, not in that of the log.
 */
export const recover = async (
  deps: AnswerDeps,
  subject: string,
  request: RecordedEvent,
  { endpointId, since, after }: { endpointId: string; since: string | null; after: string | null },
): Promise<void> => {
  if (!(await indexed(deps, request))) return refuse(deps, request);
  let scheduled = await scheduledBefore(deps, subject, request);
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
      const deadline = deadlineAfter(deps.schedule, deps.clock.now(), endpoint?.retryWindow ?? null);
      const numberedDelivery = ({ delivery }: Missed) => (delivery.sequence === null ? { ...delivery, ...number(delivery) } : delivery);
      const answers = byRenderer(missed).map(({ renderer, all }) =>
        answerFact(deps, request, {
          renderer,
          deliveries: all.map(numberedDelivery),
          once: false,
          deadline,
          scheduled: total,
          last: false,
        }),
      );
      const final = answers.pop() ?? answerFact(deps, request, { once: false, scheduled: total });
      return [...answers, { ...final, data: { ...final.data, last } }];
    });
    if (!stopped) scheduled = total;
  };
  const from = after === null ? await positionBefore(deps, subject, since ?? '') : (after as Position);
  const found: Missed[] = [];
  // Its own: the deliverer's remember newer revisions, so each older event would be folded from the first one on.
  const contexts = new EventContexts(deps.log);
  const endpoint = () => findEndpoint(deps.endpoints.newest, endpointId);
  for await (const events of eventsOf(deps, subject, { after: from, before: request.position }, endpoint()?.events ?? [])) {
    const wanted = since === null ? events : events.filter(({ metadata }) => Date.parse(metadata.time) >= Date.parse(since));
    found.push(...(await findMissed(deps, contexts, endpoint(), wanted)));
    while (found.length >= RECOVERED_TOGETHER && !stopped) await flush(found.splice(0, RECOVERED_TOGETHER), false);
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

/** Deliveries of events that match the endpoint's present filter and that failed, were exhausted, or were never scheduled. */
const findMissed = async (
  { index }: AnswerDeps,
  contexts: EventContexts,
  endpoint: Endpoint | undefined,
  events: readonly RecordedEvent[],
): Promise<Missed[]> => {
  if (!endpoint) return [];
  const addressed: Omit<RecoveredDelivery, 'sequence'>[] = [];
  for (const event of events) {
    const context = await unlessDamaged(contexts.of(event), null);
    const types = context ? webhookTypes(event, context).filter((type) => audienceOf(event, type, context)(endpoint)) : [];
    for (const type of types)
      addressed.push({
        ...addressDelivery(webhookEventId(event.id, type), type, endpoint.endpointId, null),
        ...sourceOf(event),
        attempts: 0,
      });
  }
  if (addressed.length === 0) return [];
  const known = await index.deliveries(addressed.map(({ deliveryId }) => deliveryId));
  return addressed.flatMap((delivery): Missed[] => {
    const before = known.get(delivery.deliveryId);
    if (!before) return [{ delivery: { ...delivery, sequence: null }, renderer: bodyVersionOf(delivery.type, endpoint.payload) }];
    if (before.state !== 'failed' && before.state !== 'exhausted') return [];
    return [{ delivery: { ...before.delivery, sourcePosition: delivery.sourcePosition }, renderer: before.renderer }];
  });
};

/** Both ends exclusive; `after: null` for the start of the log. */
interface Between {
  readonly after: Position | null;
  readonly before: Position;
}

const SOURCE_TYPES: ReadonlySet<string> = new Set(WEBHOOK_SOURCE_TYPES);

const isSourceIn =
  ({ after, before }: Between) =>
  ({ type, position }: RecordedEvent): boolean =>
    SOURCE_TYPES.has(type) && (after === null || position > after) && position < before;

/** The user's events that cause webhooks, event stream by event stream. Alerts and seals, if the endpoint listens to them. */
async function* eventsOf(
  { log, index, signal }: AnswerDeps,
  subject: string,
  between: Between,
  filters: readonly string[],
): AsyncGenerator<readonly RecordedEvent[]> {
  const isWanted = isSourceIn(between);
  const alerts = ALERT_TYPES.some((type) => listensTo(filters, type)) ? [webhookEndpointsEventStream(subject)] : [];
  for (const eventStream of [...(await index.eventStreams(subject, between.after)), ...alerts]) {
    // Other work runs in between: the embedded store reads without waiting.
    await setImmediate();
    if (signal.aborted) return;
    for await (const page of readablePages(log, eventStream))
      yield page.filter((event) => isWanted(event) && event.metadata.subject === subject);
  }
  if (listensTo(filters, TRANSCRIPT_EDITED))
    for await (const page of logPages(log, { after: between.after, limit: PAGE, where: { subject, category: 'transcript' } }))
      yield page.filter((event) => isWanted(event) && isReadable(event));
  if (!listensTo(filters, AUDIT_SEALED)) return;
  for await (const page of logPages(log, { after: between.after, limit: SEALS_PAGE, where: { eventStream: SEALS } })) {
    yield page.filter((event) => isWanted(event) && isReadable(event));
  }
}

/** The events of an event stream up to the first damaged one. The log has already reported the damage. */
async function* readablePages(log: EventLog, eventStream: string): AsyncGenerator<readonly RecordedEvent[]> {
  let next = 0n;
  // A page with a damaged event is refused as a whole: the events before it are read again one by one.
  for (const limit of [PAGE, 1]) {
    try {
      for await (const page of eventStreamPages(log, eventStream, limit, next)) {
        yield page;
        next = (page.at(-1)?.revision ?? next) + 1n;
      }
      return;
    } catch (error) {
      if (!(error instanceof DamagedEventStream)) throw error;
    }
  }
}

/** Whether `data` and `metadata` of an event of `readAll` can be read. */
const isReadable = (event: RecordedEvent): boolean => {
  try {
    return event.metadata !== undefined;
  } catch (error) {
    if (!(error instanceof DamagedEventStream)) throw error;
    return false;
  }
};

/** A position before which the user has only events older than a time; `null` for the start of the log. */
const positionBefore = async ({ log, index }: AnswerDeps, subject: string, since: string): Promise<Position | null> => {
  const eventStream = await index.startedBefore(subject, isoTime(Date.parse(since) - CLOCK_MARGIN_MILLISECONDS));
  if (eventStream === null) return null;
  const [first] = await unlessDamaged(log.readStream(eventStream, { limit: 1 }), []);
  return first?.position ?? null;
};

/** Number of deliveries that an interrupted answer to this request has already scheduled. */
const scheduledBefore = async ({ log }: AnswerDeps, subject: string, request: RecordedEvent): Promise<number> => {
  let count = 0;
  for await (const page of newestFirst(log, deliveryEventStream(subject)))
    for (const event of page) {
      if (event.position < request.position) return count;
      if (isDeliveryEvent(event) && event.type === 'DeliveriesRecovered' && event.data.requestEventId === request.id)
        count += event.data.deliveries.length;
    }
  return count;
};

const newestFirst = (log: EventLog, eventStream: string): AsyncGenerator<readonly RecordedEvent[]> =>
  pages(async (last) => {
    if (last?.revision === 0n) return [];
    return log.readStream(eventStream, { direction: 'backwards', limit: PAGE, ...(last && { from: last.revision - 1n }) });
  });
