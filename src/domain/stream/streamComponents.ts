import { adviceOnStream } from './advice.ts';
import type { StreamAttempt } from './attempts.ts';
import type { StreamAggregate } from './state.ts';
import type { GatewayState, ProcessorState, StreamState } from './streamConfiguration.ts';

/** The public answer of `GET /streams/{id}/components`. */
export interface StreamComponents {
  streamId: string;
  groupId: string;
  state: StreamState;
  stateDescription: string | null;
  /** What to do about the failure; `null` unless the stream failed. */
  advice: string | null;
  stateChangedTimestamp: string;
  attempt: number;
  gateway: { state: GatewayState; stateChangedTimestamp: string };
  processors: ProcessorComponent[];
  /** Every attempt of the stream, oldest first. */
  attempts: Omit<StreamAttempt, 'idempotency'>[];
}

interface ProcessorComponent {
  processorId: string;
  state: ProcessorState;
  stateChangedTimestamp: string;
  stateDescription: string | null;
  /** The attempt of the stream that the shown run belongs to. */
  attempt: number;
  /** How often this attempt has been tried. */
  tries: number;
  startedTimestamp: string | null;
  endedTimestamp: string | null;
  errorName: string | null;
}

export const streamComponents = (aggregate: StreamAggregate): StreamComponents => {
  const { stream, stateChangedTimestamp, gateway, processors, attempts } = aggregate;
  return {
    streamId: stream.streamId,
    groupId: stream.groupId,
    state: stream.state,
    stateDescription: stream.stateDescription,
    advice: adviceOnStream(aggregate),
    stateChangedTimestamp,
    attempt: stream.attempt,
    gateway: { ...gateway },
    processors: processors.map((run) => ({
      processorId: run.processorId,
      state: run.state,
      stateChangedTimestamp: run.stateChangedTimestamp,
      stateDescription: run.stateDescription,
      attempt: run.streamAttempt,
      tries: run.attempt - run.attemptsBefore,
      startedTimestamp: run.startedTimestamp,
      endedTimestamp: run.endedTimestamp,
      errorName: run.errorName,
    })),
    attempts: attempts.map(({ idempotency: _, ...attempt }) => attempt),
  };
};
