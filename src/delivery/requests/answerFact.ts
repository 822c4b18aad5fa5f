import type { Clock } from '../../clock.ts';
import type { DeliveryEvent } from '../../domain/delivery/events.ts';
import type { Logger } from '../../logger.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { retrying } from '../../supervision/retrying.ts';
import type { FactWriter } from '../facts/factWriter.ts';
import type { EndpointSets } from '../plan/endpointSets.ts';
import { NEWEST_BODY_VERSION } from '../plan/webhookTypes.ts';
import { deadlineAfter, type RetryTimes } from '../retryRules.ts';
import type { UserIndex } from './userIndex.ts';

export interface AnswerDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly schedule: RetryTimes;
  readonly index: UserIndex;
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
    renderer: NEWEST_BODY_VERSION.full,
    deadline: deadlineAfter(schedule, clock.now(), null),
    once: true,
    deliveries: [],
    scheduled: data.deliveries?.length ?? 0,
    last: true,
    refused: null,
    ...data,
  },
});

/** Answers a request that cannot be carried out. */
export const refuse = async (deps: AnswerDeps, request: RecordedEvent): Promise<void> => {
  await deps.writer.decide(() => [answerFact(deps, request, { refused: 'unknown' })]);
};

/**
 * How long after its time a request waits for read models. It holds back the checkpoint of its partition meanwhile, and its user's later requests
 * wait for it.
 */
const WAIT_MILLISECONDS = 3_600_000;

/**
 * Resolves to `true` when the user's index contains the request and the newest fact of now. It does not wait for later facts: the index of a busy
 * user may never be level with the newest one. `false` if it does not contain them within an hour of the request. Rejects when the partition is lost.
 */
export const indexed = async (deps: AnswerDeps, { id, position, metadata }: RecordedEvent): Promise<boolean> => {
  const { writer, index, clock, signal, logger } = deps;
  await writer.caughtUp();
  const facts = (await writer.lastPosition()) ?? position;
  const target = facts > position ? facts : position;
  const reach = async (): Promise<boolean> => {
    if (await index.reached(target)) return true;
    if (clock.now() - Date.parse(metadata.time) >= WAIT_MILLISECONDS) return false;
    throw new StoreUnavailable(
      'The read models of streams, groups and deliveries are behind the log. The request is answered when they have caught up.',
    );
  };
  const onFailure = (error: unknown) => logger.warn({ err: error, request: id }, 'a delivery request waits for read models');
  const isReached = await retrying(reach, { clock, signal, onFailure });
  if (!isReached) logger.warn({ request: id }, 'a delivery request is refused: the read models did not contain it within an hour');
  return isReached;
};
