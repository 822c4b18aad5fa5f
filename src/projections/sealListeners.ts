import { isWebhookEndpointsEvent } from '../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED } from '../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Position } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import { batches } from '../stores/log/batches.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { endpointsProjection } from './endpoints.ts';
import type { ReadModels } from './readModels.ts';

/** The events that name what an endpoint gets. */
const NAMING = ['EndpointCreated', 'EndpointUpdated'];

/**
 * Finds the users who may get the seal at a position: those who have ever named seals. From the read model of endpoints, or from the log while that is
 * behind, so that webhooks of other events need not wait for it. Rejects with `StoreUnavailable`, or if the signal aborts.
 */
export const openSealListeners = (readModels: Pick<ReadModels, 'waitFor' | 'findIds' | 'getMany'>, log: Pick<EventLog, 'subscribe'>) => {
  /** Complete up to a position, so each part of the log is read once. */
  let named: { readonly subjects: ReadonlySet<string>; readonly through: Position | null } = { subjects: new Set(), through: null };
  const covers = (position: Position): boolean => named.through !== null && named.through >= position;

  const listed = async (): Promise<Set<string>> => {
    const ids = await readModels.findIds(endpointsProjection, { where: { namedSeals: true }, limit: Number.MAX_SAFE_INTEGER });
    return new Set((await readModels.getMany(endpointsProjection, ids)).map(({ subject }) => subject));
  };

  const readOn = async (position: Position, signal: AbortSignal): Promise<void> => {
    for await (const { events, position: through } of batches(log, named.through, NAMING, signal)) {
      const subjects = new Set(named.subjects);
      for (const event of events) if (await unlessDamaged(namesSeals(event), false)) subjects.add(event.metadata.subject);
      named = { subjects, through };
      if (covers(position)) return;
    }
    signal.throwIfAborted();
  };

  return async (position: Position, signal: AbortSignal): Promise<ReadonlySet<string>> => {
    if (covers(position)) return named.subjects;
    if (await readModels.waitFor([endpointsProjection.name], position)) named = { subjects: await listed(), through: position };
    else await readOn(position, signal);
    return named.subjects;
  };
};

/** Async, because reading damaged data throws. */
const namesSeals = async (event: RecordedEvent): Promise<boolean> =>
  isWebhookEndpointsEvent(event) && 'events' in event.data && event.data.events.includes(AUDIT_SEALED);
