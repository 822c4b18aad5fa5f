import { type Clock, isoTime } from '../../clock.ts';
import type { DeliveryEvent } from '../../domain/delivery/events.ts';
import type { Logger } from '../../logger.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { retrying } from '../../supervision/retrying.ts';
import type { FactWriter } from '../facts/factWriter.ts';
import type { EndpointSets } from '../plan/endpointSets.ts';
import type { EventContexts } from '../plan/eventContexts.ts';
import { RENDERER_OF } from '../plan/webhookTypes.ts';
import type { Schedule } from '../retryRules.ts';
import type { UserRecords } from './userRecords.ts';

export interface AnswerDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
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

/**
 * Resolves when the user's records contain the request and the newest fact of now. It does not wait for later facts: the records of a busy user may
 * never be level with the newest one. Rejects when the partition is lost.
 */
export const indexed = async ({ writer, records, clock, signal, logger }: AnswerDeps, { id, position }: RecordedEvent): Promise<void> => {
  await writer.caughtUp();
  const facts = (await writer.checkpoint())?.position ?? position;
  const target = facts > position ? facts : position;
  const reach = async () => {
    if (!(await records.reached(target)))
      throw new StoreUnavailable(
        'The read models of streams, groups and deliveries are behind the log. The request is answered when they have caught up.',
      );
  };
  const onFailure = (error: unknown) => logger.warn({ err: error, request: id }, 'a delivery request waits for read models');
  await retrying(reach, { clock, signal, onFailure });
};
