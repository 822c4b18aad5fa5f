import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type DeliveryEvent, deliveryEventStream, isDeliveryEvent } from '../domain/delivery/events.ts';
import { conflict, limitReached, notFound, Problem, unavailable } from '../domain/problem.ts';
import type { Position } from '../stores/eventStore.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import { within } from '../supervision/within.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { InFlight } from './inFlight.ts';
import { requestDelivery } from './webhookEndpoints.ts';

/**
 * For pings, resends, attempts at once (`send-now`) and recoveries: requested by an event, and answered by a fact of the node that holds the user's
 * partition.
 */
export interface ManualRequestDeps extends CommandDeps {
  readonly clock: Clock;
  /** One for all requests of a node. */
  readonly underWay: InFlight;
}

type Fact = Extract<DeliveryEvent, { type: 'DeliveriesRecovered' }>['data'];
type Answered = { readonly fact: Fact; readonly position: Position };

const WAIT_MILLISECONDS = 10_000;
/** A request without an answer counts this long. */
const COUNTED_MILLISECONDS = 600_000;
/** A user has at most 20 endpoints, and may recover all of them at once. */
const MOST_UNDER_WAY = 20;
/** Of all users: each request follows the log until it is answered. */
const MOST_IN_TOTAL = 400;
/** Limits of `Retry-After`. Answers usually take some seconds; while no node delivers, the next try waits as long as the oldest request has. */
const [SOON_SECONDS, LATER_SECONDS] = [5, 60];

/** Requests are answered one after another, and each may read all events of its user: a user must not queue hours of work. */
export const webhookRequestsUnderWay = (clock: Clock): InFlight =>
  new InFlight(clock, { perUser: MOST_UNDER_WAY, inTotal: MOST_IN_TOTAL }, ({ whose, seconds }) => {
    const retryAfter = Math.min(LATER_SECONDS, Math.max(SOON_SECONDS, seconds));
    if (whose === 'all')
      return new Problem('GENERAL_INTERNAL_ERROR', 'Too many pings, resends and recoveries of all users are under way. Try again later.', {
        statusCode: 503,
        title: 'Unavailable',
        headers: { 'Retry-After': String(retryAfter) },
      });
    const message = `You have ${MOST_UNDER_WAY} pings, resends and recoveries under way. Try again when one has been answered.`;
    return limitReached(message, retryAfter, { title: 'Too many requests' });
  });

/** Resolves when the request is answered. Rejects with a `Problem`: 404, and 503 if no deliverer answers. */
type Request<Asked, Answer> = (deps: ManualRequestDeps, asked: Asked, context: AppendContext, signal: AbortSignal) => Promise<Answer>;

interface OneDelivery {
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** Requests one test webhook, also for a disabled endpoint. `delivery/requests/answerRequest.ts` schedules it. */
export const requestPing: Request<string, { deliveryId: string; position: Position }> = async (deps, endpointId, context, signal) => {
  const deliveryId = randomUUID();
  const { fact, position } = await ask(deps, { type: 'PingRequested', data: { endpointId, deliveryId } }, context, signal);
  if (fact.refused === 'unknown') throw notFound('webhook endpoint');
  return { deliveryId, position };
};

/** Requests one more attempt of an ended delivery. 409 while it is pending. */
export const requestResend: Request<OneDelivery, { position: Position }> = async (deps, delivery, context, signal) => {
  const { fact, position } = await ask(deps, { type: 'ResendRequested', data: delivery }, context, signal);
  if (fact.refused === 'unknown') throw notFound('delivery');
  if (fact.refused === 'pending') throw conflict('This delivery is still pending. You can resend it when it has ended.');
  return { position };
};

/** Requests the next attempt of a pending delivery at once. 409 when it has ended. */
export const requestSendNow: Request<OneDelivery, { position: Position }> = async (deps, delivery, context, signal) => {
  const { fact, position } = await ask(deps, { type: 'SendNowRequested', data: delivery }, context, signal);
  if (fact.refused === 'unknown') throw notFound('delivery');
  if (fact.refused === 'ended') throw conflict('This delivery has ended. You can resend it.');
  return { position };
};

/**
 * Sends the events that the endpoint has missed `since` a time (ISO 8601) or `after` a position; exactly one is given. 409 for a disabled endpoint. A
 * repeated request schedules nothing twice.
 */
export const requestRecovery: Request<
  { endpointId: string; since: string | null; after: string | null },
  { scheduled: number; position: Position }
> = async (deps, recovery, context, signal) => {
  const { fact, position } = await ask(deps, { type: 'RecoveryRequested', data: recovery }, context, signal);
  // It existed and was enabled at the time of the request.
  if (fact.refused === 'unknown') throw notFound('webhook endpoint');
  if (fact.refused === 'disabled')
    throw conflict('The endpoint was disabled during the request. Enable it, then recover the events it has missed.');
  return { scheduled: fact.scheduled, position };
};

const NOT_ANSWERED =
  'The request is recorded, but was not handled in time: no delivery node runs, or the read models are behind. It is carried out later; a resend or recovery only if the read models catch up within an hour. Check the deliveries before you repeat it.';
const NOT_RECORDED =
  'The log did not record the request in time, because you have written much or the log is slow. It may still be recorded. Check the deliveries before you repeat it.';

const ask = async (
  deps: ManualRequestDeps,
  request: Parameters<typeof requestDelivery>[1],
  context: AppendContext,
  signal: AbortSignal,
): Promise<Answered> => {
  let recorded = false;
  const onRecorded = () => {
    recorded = true;
  };
  // The request counts until it is answered, even after its caller has left.
  const answering = deps.underWay.pass(context.subject, () => answered(deps, request, context, onRecorded));
  const answer = await within(deps.clock, WAIT_MILLISECONDS, answering, signal);
  if (answer && answer !== 'late') return answer;
  throw unavailable(recorded ? NOT_ANSWERED : NOT_RECORDED);
};

const answered = async (
  deps: ManualRequestDeps,
  request: Parameters<typeof requestDelivery>[1],
  context: AppendContext,
  onRecorded: () => void,
): Promise<Answered | null> => {
  const { events, position } = await requestDelivery(deps, request, context);
  onRecorded();
  const [asked] = events;
  if (!asked || position === null) throw new Error(`${request.type} was not appended`);
  return answerTo(deps, asked, context.subject);
};

/** The fact that answers `asked`; `null` if it does not arrive in time. */
const answerTo = async ({ log, clock }: ManualRequestDeps, asked: RecordedEvent, subject: string): Promise<Answered | null> => {
  const over = new AbortController();
  void clock.pause(COUNTED_MILLISECONDS, over.signal).then(() => over.abort());
  const facts = { after: asked.position, filter: { prefixes: [deliveryEventStream(subject)] }, signal: over.signal };
  try {
    for await (const item of log.subscribe(facts)) {
      if (item.kind !== 'event' || !isDeliveryEvent(item.event) || item.event.type !== 'DeliveriesRecovered') continue;
      const { data, position } = item.event;
      if (data.requestEventId === asked.id && data.last) return { fact: data, position };
    }
    return null;
  } finally {
    over.abort();
  }
};
