import type { JsonObject } from '../../json.ts';
import type { StreamData } from './events.ts';
import type { StreamAggregate, StreamProcessorRun } from './state.ts';
import type { StreamConfiguration, StreamProcessor } from './streamConfiguration.ts';

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
}

/** A stage's run that a rerun has replaced, with its topics and properties. */
export interface EarlierRun {
  run: StreamProcessorRun;
  processor: StreamProcessor;
}

export const firstAttempt = (time: string): StreamAttempt => ({
  attempt: 1,
  from: null,
  reason: null,
  state: 'READY',
  stateDescription: null,
  startedTimestamp: time,
  endedTimestamp: null,
  idempotency: null,
});

/** `attempt` continues to count in a rerun, so that an earlier worker's outcome never matches it. */
export const waitingRun = (processorId: string, time: string, attempt = 0, streamAttempt = 1): StreamProcessorRun => ({
  processorId,
  state: 'WAITING',
  stateChangedTimestamp: time,
  stateDescription: null,
  attempt,
  streamAttempt,
  attemptsBefore: attempt,
  startedTimestamp: null,
  endedTimestamp: null,
  errorName: null,
  quantities: null,
  bill: null,
});

export const endAttempt = (
  attempts: readonly StreamAttempt[],
  state: 'COMPLETED' | 'FAILED',
  stateDescription: string | null,
  time: string,
): StreamAttempt[] =>
  attempts.map((one, n) => (n === attempts.length - 1 ? { ...one, state, stateDescription, endedTimestamp: time } : one));

/** The configuration with other processors and their sinks. */
const withProcessors = (configuration: StreamConfiguration, processors: StreamProcessor[]): StreamConfiguration => ({
  ...configuration,
  processors,
  dataSinks: Object.fromEntries(processors.filter(({ egress }) => egress.sink).map(({ id, destination }) => [id, destination])),
});

/** The repeated stages start over with their own topics. Their previous runs move to `earlier`. */
export const withRerun = (aggregate: StreamAggregate, data: StreamData<'RerunStarted'>, time: string): StreamAggregate => {
  const { stream } = aggregate;
  const stages = new Map(data.processors.map((stage) => [stage.processorId, stage]));
  const replaced = aggregate.processors.flatMap((run): EarlierRun[] => {
    const processor = stream.configuration.processors.find(({ id }) => id === run.processorId);
    return processor && stages.has(run.processorId) ? [{ run, processor }] : [];
  });
  const processors = stream.configuration.processors.map((processor): StreamProcessor => {
    const stage = stages.get(processor.id);
    if (!stage) return processor;
    const source = { ...processor.source, topic: stage.sourceTopic };
    // Erased properties are `null`.
    return {
      ...processor,
      source,
      destination: { ...processor.destination, topic: stage.destinationTopic },
      properties: stage.properties ?? {},
    };
  });
  const { attempt, from, reason, idempotency } = data;
  return {
    ...aggregate,
    stream: {
      ...stream,
      configuration: withProcessors(stream.configuration, processors),
      state: 'READY',
      stateDescription: null,
      finalizedTimestamp: null,
      attempt,
    },
    stateChangedTimestamp: time,
    canceled: false,
    attempts: [...aggregate.attempts, { ...firstAttempt(time), attempt, from, reason, idempotency }],
    earlier: [...aggregate.earlier, ...replaced],
    processors: aggregate.processors.map((run) =>
      stages.has(run.processorId) ? waitingRun(run.processorId, time, run.attempt, attempt) : run,
    ),
  };
};

/** All runs of a stage, newest first. */
export const runsOf = (aggregate: StreamAggregate, processorId: string): EarlierRun[] => {
  const run = aggregate.processors.find((one) => one.processorId === processorId);
  const processor = aggregate.stream.configuration.processors.find(({ id }) => id === processorId);
  const earlier = aggregate.earlier.filter((one) => one.run.processorId === processorId).reverse();
  return run && processor ? [{ run, processor }, ...earlier] : earlier;
};

/** The properties that the upload gave a stage. A rerun's patches change that rerun only. */
export const uploadedProperties = (aggregate: StreamAggregate, processorId: string): JsonObject =>
  runsOf(aggregate, processorId).at(-1)?.processor.properties ?? {};

/**
 * The stream as of the end of an attempt, with the newest run of each stage up to then. `null` for an unknown attempt. An expired stream stays
 * EXPIRED, since its data are deleted.
 */
export const atAttempt = <Aggregate extends StreamAggregate>(aggregate: Aggregate, attempt: number): Aggregate | null => {
  const then = aggregate.attempts.find((one) => one.attempt === attempt);
  if (!then) return null;
  if (attempt === aggregate.stream.attempt) return aggregate;
  const stages = aggregate.processors.flatMap(
    ({ processorId }) => runsOf(aggregate, processorId).find(({ run }) => run.streamAttempt <= attempt) ?? [],
  );
  const before = withRuns(aggregate, stages);
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
export const withCompletedRuns = <Aggregate extends StreamAggregate>(aggregate: Aggregate): Aggregate => {
  const shown = aggregate.processors.flatMap(({ processorId }) => {
    const runs = runsOf(aggregate, processorId);
    return runs.find(({ run }) => run.state === 'COMPLETED') ?? runs[0] ?? [];
  });
  return withRuns(aggregate, shown);
};

/** The stream with these runs, and no others. */
const withRuns = <Aggregate extends StreamAggregate>(aggregate: Aggregate, stages: readonly EarlierRun[]): Aggregate => {
  const { configuration } = aggregate.stream;
  const processorOf = new Map(stages.map(({ run, processor }) => [run.processorId, processor]));
  const processors = configuration.processors.map((processor) => processorOf.get(processor.id) ?? processor);
  return {
    ...aggregate,
    stream: { ...aggregate.stream, configuration: withProcessors(configuration, processors) },
    processors: stages.map(({ run }) => run),
  };
};

/** Names of all topics that a stream has or had, including those of earlier attempts. */
export const topicNamesOf = ({ stream: { configuration }, earlier }: StreamAggregate): string[] => [
  configuration.dataSource.topic,
  ...configuration.processors.map(({ destination }) => destination.topic),
  ...earlier.map(({ processor }) => processor.destination.topic),
];
