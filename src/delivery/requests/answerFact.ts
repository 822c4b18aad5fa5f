import { type Clock, isoTime } from '../../clock.ts';
import type { DeliveryEvent } from '../../domain/delivery/events.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import type { FactWriter } from '../facts/factWriter.ts';
import type { EndpointSets } from '../plan/endpointSets.ts';
import type { EventContexts } from '../plan/eventContexts.ts';
import { RENDERER_OF } from '../plan/webhookTypes.ts';
import type { Schedule } from '../retryRules.ts';
import type { UserRecords } from './userRecords.ts';

export interface AnswerDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly contexts: EventContexts;
  readonly records: UserRecords;
  readonly writer: FactWriter;
  readonly endpoints: EndpointSets;
  readonly signal: AbortSignal;
}

type AnswerFact = Extract<DeliveryEvent, { type: 'DeliveriesRecovered' }>;

/** The fact that answers a request: by default with nothing scheduled, in one attempt. */
export const answerFact = (
  { clock, schedule }: AnswerDeps,
  { id, position }: RecordedEvent,
  data: Partial<AnswerFact['data']>,
): AnswerFact => ({
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

/** Resolves when the user's records contain the request and the user's newest fact. Rejects with `StoreUnavailable` if that takes long. */
export const indexed = async ({ writer, records }: AnswerDeps, { position }: RecordedEvent): Promise<void> => {
  await writer.caughtUp();
  const facts = (await writer.checkpoint())?.position ?? position;
  if (!(await records.reached(facts > position ? facts : position)))
    throw new StoreUnavailable(
      'The read models of streams, groups and deliveries are behind the log. The request is answered when they have caught up.',
    );
};
