import { type Clock, isoTime } from '../../clock.ts';
import type { DeliveryEvent } from '../../domain/delivery/events.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import type { FactWriter } from '../facts/factWriter.ts';
import type { EndpointSets } from '../plan/endpointSets.ts';
import type { EventContexts } from '../plan/eventContexts.ts';
import { RENDERER_OF } from '../plan/webhookTypes.ts';
import type { Schedule } from '../retryRules.ts';

export interface AnswerDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly contexts: EventContexts;
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
