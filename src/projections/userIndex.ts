import type { RecoveredDelivery } from '../domain/delivery/events.ts';
import { groupEventStream } from '../domain/group/events.ts';
import { streamEventStream } from '../domain/stream/events.ts';
import type { FindOptions } from '../stores/documents.ts';
import type { Position } from '../stores/eventStore.ts';
import { inBatches } from '../stores/inBatches.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type DeliveryDocument, deliveriesProjection } from './deliveries.ts';
import { groupsProjection } from './groups.ts';
import type { ReadModels } from './readModels.ts';
import { openSealListeners } from './sealListeners.ts';
import { streamsProjection } from './streams.ts';

/** Their ids go into one fact. */
const OUTDATED_TOGETHER = 500;
const MODELS = [streamsProjection.name, groupsProjection.name, deliveriesProjection.name];

/** The deliverer's index for recoveries, resends and seals, from read models (`delivery/requests/userIndex.ts`). */
export const openUserIndex = (readModels: Pick<ReadModels, 'waitFor' | 'findIds' | 'getMany'>, log: Pick<EventLog, 'subscribe'>) => ({
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

  sealListeners: openSealListeners(readModels, log),

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
    const found = await readModels.getMany(deliveriesProjection, deliveryIds);
    return new Map(found.map((document) => [document.deliveryId, knownDelivery(document)]));
  },
});

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
