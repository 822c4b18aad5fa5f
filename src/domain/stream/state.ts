import type { FormerPropertiesSchemas } from '../formerSchemaNames.ts';
import { firstAttempt, type StreamAttempt, type StreamProcessorRun, waitingRun, withRerun } from './attempts.ts';
import type { StreamData, StreamEvent } from './events.ts';
import type { FailureCause } from './failureCauses.ts';
import type { ChainLink, GatewayState, StreamConfiguration } from './streamConfiguration.ts';
import type { Stream } from './streamResource.ts';

export interface StreamUpload {
  /** Also `failed` if the stream was canceled during the upload. */
  state: 'open' | 'completed' | 'failed';
  bytes: number | null;
  frames: number | null;
  sha256: string | null;
  /** Of a failed upload, where more is known than its reason. */
  cause?: FailureCause;
  endedTimestamp: string | null;
}

/** State of a stream when another one joined its own group: with it, the event stream of the group begins. */
export interface SharedOwnGroup {
  attempt: number;
  outcome: 'COMPLETED' | 'FAILED' | null;
  finalizedTimestamp: string | null;
}

/** The state of a stream, folded from its events. Plain JSON: the read model keeps it as it is. */
export interface StreamAggregate {
  /** The public resource. */
  stream: Stream;
  stateChangedTimestamp: string;
  canceled: boolean;
  persist: boolean;
  templateVersion: number;
  idempotency: { fingerprint: string; attempt: number; body?: string } | null;
  chain: ChainLink[];
  gateway: { state: GatewayState; stateChangedTimestamp: string };
  upload: StreamUpload;
  /** Oldest first; the last one is `stream.attempt`. */
  attempts: StreamAttempt[];
  /** How long the data are kept after the end; 0: until they are deleted. Absent where only the settings of the server say it. */
  keepSeconds?: number;
  /** The owner's time for the deletion, ISO 8601; `null`: only when someone deletes the data. It replaces `keepSeconds` and `keptUntil`. */
  retainedUntil?: string | null;
  /** Until when the owner has asked to keep the data at least, ISO 8601. Of earlier versions. */
  keptUntil?: string;
  /** Of the upload, as its sender named it. */
  fileName?: string;
  /** Only if `StreamCreated` says so. `shared`: the stream's state when another stream joined; `null` while it has its group to itself. */
  ownGroup?: { shared: SharedOwnGroup | null };
  /** As in `StreamCreated`. */
  formerPropertiesSchemas?: FormerPropertiesSchemas;
}

const createAggregate = (data: StreamData<'StreamCreated'>, time: string): StreamAggregate => ({
  stream: {
    streamId: data.streamId,
    name: data.name,
    labels: data.labels ?? [],
    groupId: data.groupId,
    configuration: withoutErased(data.configuration),
    createdTimestamp: time,
    creatorId: data.creatorId,
    groupCreatorId: data.groupCreatorId,
    state: 'READY',
    stateDescription: null,
    finalizedTimestamp: null,
    attempt: 1,
  },
  stateChangedTimestamp: time,
  canceled: false,
  persist: data.persist,
  ...(data.keepSeconds !== undefined && { keepSeconds: data.keepSeconds }),
  templateVersion: data.templateVersion,
  idempotency: data.idempotency,
  chain: data.chain,
  gateway: { state: 'CONNECTED', stateChangedTimestamp: time },
  upload: { state: 'open', bytes: null, frames: null, sha256: null, endedTimestamp: null },
  attempts: [
    firstAttempt(
      data.chain.map(({ processorId }) => waitingRun(processorId, time)),
      time,
    ),
  ],
  ...(data.fileName != null && { fileName: data.fileName }),
  ...(data.ownGroup === true && { ownGroup: { shared: null } }),
  ...(data.formerPropertiesSchemas && { formerPropertiesSchemas: data.formerPropertiesSchemas }),
});

/** Erased members read as `null`: properties become empty, and webhooks without a URL are left out. */
const withoutErased = (configuration: StreamConfiguration): StreamConfiguration => ({
  ...configuration,
  dataSinks: sinksOf(configuration),
  processors: configuration.processors.map((processor) => (processor.properties ? processor : { ...processor, properties: {} })),
  dynamicWebhookEndpoints: configuration.dynamicWebhookEndpoints.filter(({ url }) => url !== null),
});

/** A sink is also the destination of its processor, and may be large. The event contains it twice; in memory, both are one object. */
const sinksOf = ({ dataSinks, processors }: StreamConfiguration): StreamConfiguration['dataSinks'] =>
  Object.fromEntries(
    Object.entries(dataSinks).map(([name, sink]) => {
      const destination = processors.find(({ id }) => id === name)?.destination;
      return [name, destination?.topic === sink.topic ? destination : sink];
    }),
  );

/** Changes the newest attempt: all earlier ones have ended. */
const withAttempt = (aggregate: StreamAggregate, change: (attempt: StreamAttempt) => Partial<StreamAttempt>): StreamAggregate => ({
  ...aggregate,
  attempts: aggregate.attempts.map((one, n, { length }) => (n === length - 1 ? { ...one, ...change(one) } : one)),
});

const withRuns = (aggregate: StreamAggregate, change: (run: StreamProcessorRun) => StreamProcessorRun): StreamAggregate =>
  withAttempt(aggregate, ({ runs }) => ({ runs: runs.map(change) }));

const withEnd = (aggregate: StreamAggregate, state: 'COMPLETED' | 'FAILED', reason: string | null, time: string): StreamAggregate => ({
  ...withAttempt(aggregate, () => ({ state, stateDescription: reason, endedTimestamp: time })),
  stream: { ...aggregate.stream, state, stateDescription: reason, finalizedTimestamp: time },
  stateChangedTimestamp: time,
});

/** For `OwnGroupShared`. */
export const sharedNow = ({ stream: { attempt, state, finalizedTimestamp } }: StreamAggregate): SharedOwnGroup => ({
  attempt,
  outcome: state === 'COMPLETED' || state === 'FAILED' ? state : null,
  finalizedTimestamp,
});

const withRun = (aggregate: StreamAggregate, processorId: string, change: Partial<StreamProcessorRun>): StreamAggregate =>
  withRuns(aggregate, (run) => (run.processorId === processorId ? { ...run, ...change } : run));

const withUploadEnded = (
  aggregate: StreamAggregate,
  state: 'completed' | 'failed',
  facts: Partial<StreamUpload>,
  time: string,
): StreamAggregate => ({
  ...aggregate,
  upload: { ...aggregate.upload, ...facts, state, endedTimestamp: time },
  gateway: { state: 'CLOSED', stateChangedTimestamp: time },
});

/** Closes the runs that cannot happen any more. */
const closeRuns = (aggregate: StreamAggregate, time: string, closes: (run: StreamProcessorRun) => boolean): StreamAggregate =>
  withRuns(aggregate, (run) =>
    (run.state === 'WAITING' || run.state === 'RUNNING') && closes(run)
      ? { ...run, state: 'CLOSED', stateChangedTimestamp: time, endedTimestamp: run.state === 'RUNNING' ? time : null }
      : run,
  );

const withFailure = (aggregate: StreamAggregate, reason: string | null, time: string): StreamAggregate => {
  const closed = closeRuns(aggregate, time, () => true);
  return withEnd(closed, 'FAILED', reason, time);
};

/** Ids of the processors that read the output of one, directly or through others. */
export const descendantsOf = (chain: readonly ChainLink[], processorId: string): Set<string> => {
  const found = new Set<string>();
  const add = (parent: string): void => {
    for (const link of chain) {
      if (link.previousProcessorId !== parent || found.has(link.processorId)) continue;
      found.add(link.processorId);
      add(link.processorId);
    }
  };
  add(processorId);
  return found;
};

const endRun = (
  aggregate: StreamAggregate,
  event: Extract<StreamEvent, { type: 'ProcessorCompleted' | 'ProcessorFailed' }>,
  time: string,
): StreamAggregate => {
  const failed = event.type === 'ProcessorFailed';
  return withRun(aggregate, event.data.processorId, {
    state: failed ? 'ERROR' : 'COMPLETED',
    stateChangedTimestamp: time,
    stateDescription: failed ? event.data.reason : event.data.description,
    endedTimestamp: time,
    errorName: failed ? event.data.errorName : null,
    ...(failed && event.data.cause !== undefined && { cause: event.data.cause }),
    ...(!failed && event.data.warnings !== undefined && { warnings: event.data.warnings }),
    quantities: event.data.quantities,
    bill: event.data.bill,
  });
};

/**
 * Applies an event to a stream; `aggregate` is `null` before the first one. `time` is the event's, ISO 8601. Pure: the read model folds with it too.
 * Throws on a history that no decision can have made.
 */
export const evolveStream = (aggregate: StreamAggregate | null, event: StreamEvent, time: string): StreamAggregate => {
  if (event.type === 'StreamCreated') return createAggregate(event.data, time);
  if (!aggregate) throw new Error(`${event.type} before StreamCreated`);
  switch (event.type) {
    case 'UploadCompleted':
      return withUploadEnded(aggregate, 'completed', event.data, time);
    case 'UploadFailed':
      return withUploadEnded(aggregate, 'failed', event.data.cause === undefined ? {} : { cause: event.data.cause }, time);
    case 'ProcessorStarted':
      return withRun(aggregate, event.data.processorId, {
        state: 'RUNNING',
        stateChangedTimestamp: time,
        attempt: event.data.attempt,
        ...(event.data.failures !== undefined && { failures: event.data.failures }),
        startedTimestamp: time,
      });
    case 'EngineAwaited':
    case 'EngineReturned':
    case 'EngineChosen':
      // Only the timeline shows these.
      return aggregate;
    case 'ProcessorCompleted':
      return endRun(aggregate, event, time);
    case 'ProcessorFailed': {
      const behind = descendantsOf(aggregate.chain, event.data.processorId);
      return closeRuns(endRun(aggregate, event, time), time, (run) => behind.has(run.processorId));
    }
    case 'StreamCanceled': {
      const canceled = { ...withFailure(aggregate, event.data.reason, time), canceled: true };
      return canceled.upload.state === 'open' ? withUploadEnded(canceled, 'failed', {}, time) : canceled;
    }
    case 'StreamCompleted':
      return withEnd(aggregate, 'COMPLETED', null, time);
    case 'StreamFailed':
      return withFailure(aggregate, event.data.reason, time);
    case 'RerunStarted':
      return withRerun(aggregate, event.data, time);
    case 'OwnGroupShared':
      return { ...aggregate, ownGroup: { shared: sharedNow(aggregate) } };
    case 'StreamRenamed':
      return { ...aggregate, stream: { ...aggregate.stream, name: event.data.name } };
    case 'StreamLabeled':
      return { ...aggregate, stream: { ...aggregate.stream, labels: event.data.labels ?? [] } };
    case 'RetentionSet':
      return { ...aggregate, retainedUntil: event.data.until };
    case 'RetentionExtended':
      return { ...aggregate, keptUntil: event.data.until };
    case 'StreamExpired':
      return { ...aggregate, stream: { ...aggregate.stream, state: 'EXPIRED' }, stateChangedTimestamp: time };
    default:
      return event satisfies never;
  }
};

export const streamDecider = { initialState: (): StreamAggregate | null => null, evolve: evolveStream };
