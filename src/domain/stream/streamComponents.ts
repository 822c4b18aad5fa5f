import { adviceOnStream } from './advice.ts';
import { newestRuns } from './attempts.ts';
import type { StreamAggregate } from './state.ts';

/** The public answer of `GET /streams/{id}/components`. */
export type StreamComponents = ReturnType<typeof streamComponents>;

export const streamComponents = (aggregate: StreamAggregate) => {
  const { stream, stateChangedTimestamp, gateway, attempts } = aggregate;
  return {
    streamId: stream.streamId,
    groupId: stream.groupId,
    state: stream.state,
    stateDescription: stream.stateDescription,
    /** What to do about the failure; `null` unless the stream failed. */
    advice: adviceOnStream(aggregate),
    stateChangedTimestamp,
    attempt: stream.attempt,
    gateway: { ...gateway },
    processors: newestRuns(aggregate).map((run) => ({
      processorId: run.processorId,
      state: run.state,
      stateChangedTimestamp: run.stateChangedTimestamp,
      stateDescription: run.stateDescription,
      /** The attempt of the stream that the shown run belongs to. */
      attempt: run.streamAttempt,
      /** How often this attempt has been tried. */
      tries: run.attempt - run.triesBefore,
      startedTimestamp: run.startedTimestamp,
      endedTimestamp: run.endedTimestamp,
      errorName: run.errorName,
    })),
    /** Every attempt of the stream, oldest first. */
    attempts: attempts.map(({ idempotency: _, runs: __, ...attempt }) => attempt),
  };
};
