import type { StreamData } from './events.ts';
import type { FailureCause } from './failureCauses.ts';
import type { StreamAggregate } from './state.ts';
import type { Bill, ProcessorState, Quantities, StreamConfiguration, StreamProcessor } from './streamConfiguration.ts';

/** One attempt of a stream: 1 is the upload, each rerun adds 1. */
export interface StreamAttempt {
  attempt: number;
  /** The stage that a rerun started with; `null` for the upload and for a rerun of the whole chain. */
  from: string | null;
  /** The caller's reason for a rerun; `null` once its owner has been erased. */
  reason: string | null;
  state: 'READY' | 'COMPLETED' | 'FAILED';
  stateDescription: string | null;
  startedTimestamp: string;
  endedTimestamp: string | null;
  /** Of a rerun under an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
  idempotency: { keyId: string; fingerprint: string } | null;
  /** Of the stages that it repeats, in the order of the chain. The upload runs all. */
  runs: StreamProcessorRun[];
}

/** The run of a stage in one attempt of its stream. */
export interface StreamProcessorRun {
  processorId: string;
  state: ProcessorState;
  stateChangedTimestamp: string;
  /** The description or reason from its outcome. */
  stateDescription: string | null;
  /** Counts the tries of this stage in all attempts of the stream, as in the events of a run; 0 before the first. */
  attempt: number;
  /** Tries in this attempt of the stream that the processor failed, as of the newest start. Absent for 0. */
  failures?: number;
  startedTimestamp: string | null;
  endedTimestamp: string | null;
  errorName: string | null;
  /** Absent where the error name says enough. */
  cause?: FailureCause;
  /** Codes of the warnings in its results. Absent without any. */
  warnings?: string[];
  /** `null` until the run has ended. */
  quantities: Quantities | null;
  bill: Bill | null;
  /** Its topics and properties, once a rerun has replaced them in the configuration of the stream. */
  processor?: StreamProcessor;
}

/** A run with what its stream says about it. */
export interface StreamRun extends StreamProcessorRun {
  /** The stream's attempt that it belongs to. */
  streamAttempt: number;
  /** Tries of the stage in earlier attempts of the stream. */
  triesBefore: number;
  processor: StreamProcessor;
}

export const firstAttempt = (runs: StreamProcessorRun[], time: string): StreamAttempt => ({
  attempt: 1,
  from: null,
  reason: null,
  state: 'READY',
  stateDescription: null,
  startedTimestamp: time,
  endedTimestamp: null,
  idempotency: null,
  runs,
});

/** `attempt` continues to count in a rerun, so that an earlier worker's outcome never matches it. */
export const waitingRun = (processorId: string, time: string, attempt = 0): StreamProcessorRun => ({
  processorId,
  state: 'WAITING',
  stateChangedTimestamp: time,
  stateDescription: null,
  attempt,
  startedTimestamp: null,
  endedTimestamp: null,
  errorName: null,
  quantities: null,
  bill: null,
});

/** All runs of a stage, newest first. */
export const runsOf = ({ stream, attempts }: StreamAggregate, processorId: string): StreamRun[] => {
  const current = stream.configuration.processors.find(({ id }) => id === processorId);
  const found: StreamRun[] = [];
  for (const { attempt, runs } of attempts) {
    const run = runs.find((one) => one.processorId === processorId);
    const processor = run?.processor ?? current;
    if (run && processor) found.unshift({ ...run, streamAttempt: attempt, triesBefore: found[0]?.attempt ?? 0, processor });
  }
  return found;
};

/** The newest run of each stage, in the order of the chain. */
export const newestRuns = (stream: StreamAggregate): StreamRun[] =>
  stream.chain.flatMap(({ processorId }) => runsOf(stream, processorId)[0] ?? []);

/** The configurations of all runs: the present ones, and those that reruns have replaced. */
export const allProcessors = ({ stream, attempts }: StreamAggregate): StreamProcessor[] => [
  ...stream.configuration.processors,
  ...attempts.flatMap(({ runs }) => runs.flatMap(({ processor }) => processor ?? [])),
];

/** Names of all topics that a stream has or had, including those of earlier attempts. */
export const topicNamesOf = (stream: StreamAggregate): string[] => [
  stream.stream.configuration.dataSource.topic,
  ...allProcessors(stream).map(({ destination }) => destination.topic),
];

/** Milliseconds of audio that the newest runs have read; `null` if none has measured it. */
export const audioLengthOf = (stream: StreamAggregate): number | null => {
  const lengths = newestRuns(stream).flatMap(({ quantities }) => quantities?.processedAudioLength ?? []);
  return lengths.length === 0 ? null : Math.max(...lengths);
};

/** The configuration with other processors and their sinks. */
const withProcessors = (configuration: StreamConfiguration, processors: StreamProcessor[]): StreamConfiguration => ({
  ...configuration,
  processors,
  dataSinks: Object.fromEntries(processors.filter(({ egress }) => egress.sink).map(({ id, destination }) => [id, destination])),
});

/** The repeated stages start over with their own topics. Their previous runs keep those that they had. */
export const withRerun = (aggregate: StreamAggregate, data: StreamData<'RerunStarted'>, time: string): StreamAggregate => {
  const { stream } = aggregate;
  const { attempt, from, reason, idempotency } = data;
  const stages = new Map(data.processors.map((stage) => [stage.processorId, stage]));
  const replaced = newestRuns(aggregate).filter(({ processorId }) => stages.has(processorId));
  const before = aggregate.attempts.map((one) => ({
    ...one,
    runs: one.runs.map((run) => {
      const processor = run.processor ?? replaced.find(({ processorId }) => processorId === run.processorId)?.processor;
      return processor ? { ...run, processor } : run;
    }),
  }));
  const runs = replaced.map((run) => waitingRun(run.processorId, time, run.attempt));
  const processors = stream.configuration.processors.map((processor): StreamProcessor => {
    const stage = stages.get(processor.id);
    if (!stage) return processor;
    const source = { ...processor.source, topic: stage.sourceTopic };
    const destination = { ...processor.destination, topic: stage.destinationTopic };
    // Erased properties are `null`.
    return { ...processor, source, destination, properties: stage.properties ?? {} };
  });
  const configuration = withProcessors(stream.configuration, processors);
  return {
    ...aggregate,
    stream: { ...stream, configuration, state: 'READY', stateDescription: null, finalizedTimestamp: null, attempt },
    stateChangedTimestamp: time,
    canceled: false,
    attempts: [...before, { ...firstAttempt(runs, time), attempt, from, reason, idempotency }],
  };
};

/**
 * The stream as of the end of an attempt, with the newest run of each stage up to then. `null` for an unknown attempt. An expired stream stays
 * EXPIRED, since its data are deleted.
 */
export const atAttempt = <Aggregate extends StreamAggregate>(aggregate: Aggregate, attempt: number): Aggregate | null => {
  const then = aggregate.attempts.find((one) => one.attempt === attempt);
  if (!then) return null;
  if (attempt === aggregate.stream.attempt) return aggregate;
  const before = withNewest(aggregate, ({ streamAttempt }) => streamAttempt <= attempt);
  return {
    ...before,
    stream: {
      ...before.stream,
      state: before.stream.state === 'EXPIRED' ? 'EXPIRED' : then.state,
      stateDescription: then.stateDescription,
      finalizedTimestamp: then.endedTimestamp,
      attempt,
    },
    stateChangedTimestamp: then.endedTimestamp ?? then.startedTimestamp,
  };
};

/** The stream with the newest completed run of each stage: a rerun that failed or was canceled hides no result. Other stages have their newest run. */
export const withCompletedRuns = <Aggregate extends StreamAggregate>(aggregate: Aggregate): Aggregate =>
  withNewest(aggregate, ({ state }) => state === 'COMPLETED');

/** The stream without the runs of each stage that are newer than the newest wanted one, if there is one. All attempts stay. */
const withNewest = <Aggregate extends StreamAggregate>(aggregate: Aggregate, isWanted: (run: StreamRun) => boolean): Aggregate => {
  const { configuration } = aggregate.stream;
  const newest = new Map(
    aggregate.chain.map(({ processorId }) => {
      const runs = runsOf(aggregate, processorId);
      return [processorId, runs.find(isWanted) ?? runs[0]];
    }),
  );
  const processors = configuration.processors.map((processor) => newest.get(processor.id)?.processor ?? processor);
  return {
    ...aggregate,
    stream: { ...aggregate.stream, configuration: withProcessors(configuration, processors) },
    attempts: aggregate.attempts.map((one) => ({
      ...one,
      runs: one.runs.filter(({ processorId }) => one.attempt <= (newest.get(processorId)?.streamAttempt ?? 0)),
    })),
  };
};
