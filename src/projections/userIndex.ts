import type { RecoveredDelivery } from '../domain/delivery/events.ts';
import { groupEventStream } from '../domain/group/events.ts';
import { streamEventStream } from '../domain/stream/events.ts';
import { isWebhookEndpointsEvent } from '../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED } from '../domain/webhookEndpoints/webhookEventTypes.ts';
import type { FindOptions } from '../stores/documents.ts';
import type { Position } from '../stores/eventStore.ts';
import { inBatches } from '../stores/inBatches.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import { batches } from '../stores/log/batches.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { type DeliveryDocument, deliveriesProjection } from './deliveries.ts';
import { endpointsProjection } from './endpoints.ts';
import { groupsProjection } from './groups.ts';
import type { ReadModels } from './readModels.ts';
import { streamsProjection } from './streams.ts';

/** Their ids go into one fact. */
const OUTDATED_TOGETHER = 500;
/** The events that name what an endpoint gets. */
const NAMING = ['EndpointCreated', 'EndpointUpdated'];
const MODELS = [streamsProjection.name, groupsProjection.name, deliveriesProjection.name];

/** The deliverer's index for recoveries, resends and seals, from read models (`delivery/requests/userIndex.ts`). */
export const openUserIndex = (readModels: Pick<ReadModels, 'waitFor' | 'findIds' | 'getMany'>, log: Pick<EventLog, 'subscribe'>) => {
  /** Users who have ever named seals, complete up to a position. */
  let named: { readonly subjects: ReadonlySet<string>; readonly through: Position | null } = { subjects: new Set(), through: null };
  const covers = (position: Position): boolean => named.through !== null && named.through >= position;
  const listeners = async (): Promise<Set<string>> => {
    const ids = await readModels.findIds(endpointsProjection, { where: { namedSeals: true }, limit: Number.MAX_SAFE_INTEGER });
    return new Set((await readModels.getMany(endpointsProjection, ids)).map(({ subject }) => subject));
  };
  /** Takes what was named since, from the log. */
  const readOn = async (position: Position, signal: AbortSignal): Promise<void> => {
    for await (const { events, position: through } of batches(log, named.through, NAMING, signal)) {
      const subjects = new Set(named.subjects);
      for (const event of events) if (await unlessDamaged(namesSeals(event), false)) subjects.add(event.metadata.subject);
      named = { subjects, through };
      if (covers(position)) return;
    }
    signal.throwIfAborted();
  };
  return {
    reached: (position: Position): Promise<boolean> => readModels.waitFor(MODELS, position),

    eventStreams: async (subject: string, after: Position | null): Promise<string[]> => {
      const changed: Omit<FindOptions, 'where'> = {
        changedAfter: after ?? '',
        orderBy: [{ member: 'createdTimestamp', direction: 'asc' }],
        limit: Number.MAX_SAFE_INTEGER,
      };
      const streams = await readModels.findIds(streamsProjection, { where: { creatorId: subject }, ...changed });
      // The group of a lone stream has no event stream.
      const groups = await readModels.findIds(groupsProjection, { where: { creatorId: subject, own: null }, ...changed });
      return [...streams.map(streamEventStream), ...groups.map(groupEventStream)];
    },

    startedBefore: async (subject: string, time: string): Promise<string | null> => {
      const [streamId] = await readModels.findIds(streamsProjection, {
        where: { creatorId: subject, createdTimestamp: { to: time } },
        orderBy: [{ member: 'createdTimestamp', direction: 'desc' }],
        limit: 1,
      });
      return streamId === undefined ? null : streamEventStream(streamId);
    },

    sealListeners: async (position: Position, signal: AbortSignal): Promise<ReadonlySet<string>> => {
      if (covers(position)) return named.subjects;
      // While the read model is stopped, other webhooks wait for the first look at the log only.
      if (await readModels.waitFor([endpointsProjection.name], position)) named = { subjects: await listeners(), through: position };
      else await readOn(position, signal);
      return named.subjects;
    },

    outdated: async function* (before: string) {
      const where = { oldest: { to: before } };
      const orderBy = [{ member: 'oldest', direction: 'asc' }] as const;
      const ids = await readModels.findIds(deliveriesProjection, { where, orderBy, limit: Number.MAX_SAFE_INTEGER });
      const load = (some: readonly string[]) => readModels.getMany(deliveriesProjection, some);
      for await (const documents of inBatches(ids, OUTDATED_TOGETHER, load)) {
        const bySubject = new Map<string, string[]>();
        for (const { subject, deliveryId } of documents) bySubject.set(subject, [...(bySubject.get(subject) ?? []), deliveryId]);
        yield bySubject;
      }
    },

    deliveries: async (deliveryIds: readonly string[]) => {
      const known = await readModels.getMany(deliveriesProjection, deliveryIds);
      return new Map(known.map((document) => [document.deliveryId, knownDelivery(document)]));
    },
  };
};

/** Async, because reading damaged data throws. */
const namesSeals = async (event: RecordedEvent): Promise<boolean> =>
  isWebhookEndpointsEvent(event) && 'events' in event.data && event.data.events.includes(AUDIT_SEALED);

const knownDelivery = (document: DeliveryDocument) => {
  const { deliveryId, endpointId, eventId, type, sequence, streamId, url, renderer, state } = document;
  const source = { sourceEventId: document.sourceEventId, sourceEventStream: document.source, sourceRevision: document.sourceRevision };
  const attempts = document.attempts.at(-1)?.attempt ?? 0;
  const delivery: Omit<RecoveredDelivery, 'sourcePosition'> = {
    deliveryId,
    endpointId,
    eventId,
    type,
    sequence,
    dynamicStreamId: streamId,
    url,
    ...source,
    attempts,
  };
  return { delivery, renderer, state };
};
