import type { WebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';
import { findEndpoint } from '../../domain/webhookEndpoints/state.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { addressDelivery, sourceOf } from '../plan/fanOut.ts';
import { PING, webhookEventId } from '../plan/webhookTypes.ts';
import { type AnswerDeps, answerFact, indexed, refuse } from './answerFact.ts';
import { recover } from './recovery.ts';
import type { KnownDelivery } from './userIndex.ts';

const MANUAL_REQUESTS = ['RecoveryRequested', 'ResendRequested', 'PingRequested', 'SendNowRequested'] as const;

/** A person's request: see `docs/webhooks.md`, "Recover missed events". */
export type ManualRequest = Extract<WebhookEndpointsEvent, { type: (typeof MANUAL_REQUESTS)[number] }>;

export const isManualRequest = <E extends WebhookEndpointsEvent>(event: E): event is E & ManualRequest =>
  MANUAL_REQUESTS.some((type) => type === event.type);

/**
 * Answers a request with facts, unless it has been answered. An interrupted recovery continues where it stopped: its scheduled deliveries are
 * pending. A request that needs a damaged event stream is refused, because later ones wait for it. Rejects with `StoreUnavailable`.
 */
export const answerRequest = async (deps: AnswerDeps, subject: string, request: RecordedEvent & ManualRequest): Promise<void> => {
  if (request.position <= deps.writer.state.lastRequestPosition) return;
  const isKnown = findEndpoint(deps.endpoints.newest, request.data.endpointId) !== undefined;
  const result = isKnown ? await unlessDamaged(schedule(deps, subject, request), 'refused') : 'refused';
  if (result === 'refused') await refuse(deps, request);
};

const schedule = (deps: AnswerDeps, subject: string, request: RecordedEvent & ManualRequest): Promise<void> => {
  if (request.type === 'PingRequested') return ping(deps, request, request.data);
  if (request.type === 'ResendRequested') return resend(deps, request, request.data);
  if (request.type === 'SendNowRequested') return sendNow(deps, request, request.data);
  return recover(deps, subject, request, request.data);
};

const ping = async (
  deps: AnswerDeps,
  request: RecordedEvent,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<void> => {
  const delivery = {
    ...addressDelivery(webhookEventId(request.id, PING), PING, endpointId, null),
    deliveryId,
    sequence: null,
    ...sourceOf(request),
    attempts: 0,
  };
  await deps.writer.decide(() => [answerFact(deps, request, { deliveries: [delivery] })]);
};

const resend = async (
  deps: AnswerDeps,
  request: RecordedEvent,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<void> => {
  if (!(await indexed(deps, request))) return refuse(deps, request);
  const known = (await deps.index.deliveries([deliveryId])).get(deliveryId);
  // Each endpoint resends its own deliveries only.
  const own = known?.delivery.endpointId === endpointId ? known : null;
  const source = own && (await sourceEvent(deps, own));
  await deps.writer.decide((state) => {
    // The endpoint may have been deleted meanwhile.
    if (!own || !source || !findEndpoint(deps.endpoints.newest, endpointId)) return [answerFact(deps, request, { refused: 'unknown' })];
    if (state.pending.has(deliveryId)) return [answerFact(deps, request, { refused: 'pending' })];
    const delivery = { ...own.delivery, sourcePosition: source.position };
    return [answerFact(deps, request, { deliveries: [delivery], renderer: own.renderer })];
  });
};

/** Makes the next attempt of a pending delivery due. Pending deliveries are known here; for others the read models must be current. */
const sendNow = async (
  deps: AnswerDeps,
  request: RecordedEvent,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<void> => {
  const isPending = ({ pending }: AnswerDeps['writer']['state']) => pending.get(deliveryId)?.delivery.endpointId === endpointId;
  const wasPending = isPending(deps.writer.state);
  if (!wasPending && !(await indexed(deps, request))) return refuse(deps, request);
  const isOwn = wasPending || (await deps.index.deliveries([deliveryId])).get(deliveryId)?.delivery.endpointId === endpointId;
  const refused = isOwn ? 'ended' : 'unknown';
  await deps.writer.decide((state) => [answerFact(deps, request, isPending(state) ? { sendNow: deliveryId } : { refused })]);
};

/** The event of a delivery; `undefined` if the log no longer contains it, or it cannot be read. */
const sourceEvent = async ({ log }: AnswerDeps, { delivery }: KnownDelivery): Promise<RecordedEvent | undefined> => {
  const { sourceEventId, sourceEventStream, sourceRevision } = delivery;
  const [event] = await unlessDamaged(log.readStream(sourceEventStream, { from: BigInt(sourceRevision), limit: 1 }), []);
  return event?.id === sourceEventId ? event : undefined;
};
