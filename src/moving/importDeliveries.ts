import { type CarriedDelivery, carryUser, type Move } from '../delivery/facts/carry.ts';
import type { FactDeps } from '../delivery/facts/factWriter.ts';
import { isStreamEvent, streamEventStream } from '../domain/stream/events.ts';
import type { EventStore, Position } from '../stores/eventStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import type { EventPlace, ExportedDeliveries } from './exportFile.ts';

export interface DeliveriesDeps extends FactDeps {
  readonly store: EventStore;
}

/** Continues a user's deliveries here from their state before the move. Repeatable. Rejects if an event that they name is missing. */
export const importDeliveries = async (deps: DeliveriesDeps, deliveries: ExportedDeliveries, move: Move): Promise<void> => {
  const { subject, last, sequences, failing } = deliveries;
  const lastSourcePosition = last ? await positionOf(deps.store, last) : '';
  const pending: CarriedDelivery[] = [];
  for (const { source, sourceEventId, renderer, once, ...delivery } of deliveries.pending) {
    const sourcePosition = await positionOf(deps.store, source);
    const url = await urlOf(deps.log, delivery);
    // The owner has been erased.
    if (delivery.dynamicStreamId !== null && url === null) continue;
    const from = { sourceEventId, sourceEventStream: source.eventStream, sourceRevision: source.revision, sourcePosition };
    pending.push({ renderer, once, delivery: { ...delivery, ...from, url } });
  }
  await carryUser(deps, { subject, lastSourcePosition, sequences, failing, pending }, move, new AbortController().signal);
};

const urlOf = async (
  log: EventLog,
  { endpointId, dynamicStreamId }: { endpointId: string; dynamicStreamId: string | null },
): Promise<string | null> => {
  if (dynamicStreamId === null) return null;
  const [created] = await log.readStream(streamEventStream(dynamicStreamId), { limit: 1 });
  if (!created || !isStreamEvent(created) || created.type !== 'StreamCreated') return null;
  return created.data.configuration.dynamicWebhookEndpoints.find(({ id }) => id === endpointId)?.url ?? null;
};

/** Position of an event in this store. */
export const positionOf = async (store: EventStore, { eventStream, revision }: EventPlace): Promise<Position> => {
  const [event] = await store.readStream(eventStream, { from: BigInt(revision), limit: 1 });
  if (event?.revision !== BigInt(revision)) throw new Error(`${eventStream} revision ${revision} did not come with the export`);
  return event.position;
};
