import { isDeepStrictEqual } from 'node:util';
import { conflict, notFound } from '../problem.ts';
import { newestRuns, runsOf, type StreamRun } from './attempts.ts';
import type { StreamData, StreamEvent } from './events.ts';
import type { FailureCause } from './failureCauses.ts';
import { evolveStream, type StreamAggregate } from './state.ts';
import type { Bill, Quantities } from './streamConfiguration.ts';

/*
 * Decisions about a stream, except three: `keepStream` is in `retention.ts`, `rerunStream` in `rerunStream.ts`, and `shareOwnGroup` in
 * `group/ownGroup.ts`.
 */

/** A decision about a run: the events to append (none if they are stored already), or `stale` after another attempt or the end of the stream. */
export type RunDecision = readonly StreamEvent[] | 'stale';

/** The description of a canceled stream. It is not personal. */
export const CANCELED_BY_USER = 'Canceled by user';
const DATA_GONE = 'The data of the stream were deleted before the rerun began.';
const EXTERNAL_CLOSE = 'External close signal received';

/** Usage of the runs of a stream until they are aborted, by processor id. */
export type UsedByRuns = ReadonlyMap<string, Quantities>;

/** Usage of a run that was not measured, or used nothing. */
export const NOTHING_USED: Quantities = {
  executionTime: 0,
  storageSize: 0,
  ingressSize: 0,
  egressSize: 0,
  processedAudioLength: null,
  processedTokens: null,
  processedInputTokens: null,
  processedOutputTokens: null,
};

/** An aborted run is not billed. */
export const ZERO_BILL: Bill = { priceList: 'none', credits: '0', lines: [] };

const requireStream = (aggregate: StreamAggregate | null): StreamAggregate => {
  if (!aggregate) throw notFound('stream');
  return aggregate;
};

/** Throws 409 for an id that is in use. */
export const createStream = (aggregate: StreamAggregate | null, data: StreamData<'StreamCreated'>): readonly StreamEvent[] => {
  if (aggregate) throw conflict('This stream id is already in use. Omit the id or choose another.');
  return [{ type: 'StreamCreated', data }];
};

/** The stream after these events. Their time is not known yet; decisions do not depend on it. */
const evolveAll = (aggregate: StreamAggregate | null, events: readonly StreamEvent[]): StreamAggregate | null =>
  events.reduce<StreamAggregate | null>((state, event) => evolveStream(state, event, aggregate?.stateChangedTimestamp ?? ''), aggregate);

/** The attempt that ended; empty for the upload. */
const endOf = ({ stream: { attempt } }: StreamAggregate): { attempt?: number } => (attempt > 1 ? { attempt } : {});

/** Adds the stream's last event if these events end it: both are one append. */
const withStreamEnd = (aggregate: StreamAggregate, events: readonly StreamEvent[]): readonly StreamEvent[] => {
  const after = requireStream(evolveAll(aggregate, events));
  if (after.stream.state !== 'READY') return events;
  const runs = newestRuns(after);
  if (runs.some(({ state }) => state === 'WAITING' || state === 'RUNNING')) return events;
  const failed = runs.find(({ state }) => state === 'ERROR');
  if (failed) return [...events, { type: 'StreamFailed', data: { reason: failed.stateDescription, ...endOf(aggregate) } }];
  // A rerun of one branch does not run what a cancellation closed in another.
  const closed = runs.find(({ state }) => state === 'CLOSED');
  if (closed) return [...events, { type: 'StreamFailed', data: { reason: `${closed.processorId} has not run.`, ...endOf(aggregate) } }];
  return after.upload.state === 'completed' ? [...events, { type: 'StreamCompleted', data: endOf(aggregate) }] : events;
};

/** Throws 409 if the stream was canceled or its upload has failed meanwhile. A failed processor does not matter. */
export const completeUpload = (aggregate: StreamAggregate | null, data: StreamData<'UploadCompleted'>): readonly StreamEvent[] => {
  const { upload, canceled } = requireStream(aggregate);
  if (upload.state === 'completed') return [];
  if (canceled) throw conflict('The stream was canceled during the upload.');
  if (upload.state === 'failed') throw conflict('The upload has already been abandoned. Upload again as a new stream.');
  return withStreamEnd(requireStream(aggregate), [{ type: 'UploadCompleted', data }]);
};

/** Creates a stream whose upload is complete. Throws 409 for an id that is in use. */
export const createWithUpload = (
  aggregate: StreamAggregate | null,
  data: StreamData<'StreamCreated'>,
  upload: StreamData<'UploadCompleted'>,
): readonly StreamEvent[] => {
  const created = createStream(aggregate, data);
  return [...created, ...completeUpload(evolveAll(null, created), upload)];
};

const UNMEASURED: UsedByRuns = new Map();

/** Fails the runs that are still running. */
const abortRuns = (aggregate: StreamAggregate, used: UsedByRuns): readonly StreamEvent[] =>
  newestRuns(aggregate)
    .filter(({ state }) => state === 'RUNNING')
    .map(({ processorId, attempt, streamAttempt }) => ({
      type: 'ProcessorFailed',
      data: {
        processorId,
        attempt,
        ...(streamAttempt > 1 && { streamAttempt }),
        reason: EXTERNAL_CLOSE,
        errorName: 'PROCESSOR_GENERAL_ERROR',
        quantities: used.get(processorId) ?? NOTHING_USED,
        bill: ZERO_BILL,
      },
    }));

/** `cause`: chooses the advice to the owner. */
export interface UploadFailure {
  readonly reason: string;
  readonly cause?: FailureCause;
}

/** Returns nothing if the upload has already ended. */
export const failUpload = (
  aggregate: StreamAggregate | null,
  { reason, cause }: UploadFailure,
  used: UsedByRuns = UNMEASURED,
): readonly StreamEvent[] => {
  const current = requireStream(aggregate);
  if (current.upload.state !== 'open') return [];
  const failed: StreamEvent = { type: 'UploadFailed', data: { reason, ...(cause && { cause }) } };
  if (current.stream.state !== 'READY') return [failed];
  return [failed, ...abortRuns(current, used), { type: 'StreamFailed', data: { reason } }];
};

/** Cancels a stream. Returns nothing for a FAILED one. Throws 409 for a COMPLETED or EXPIRED one. */
export const cancelStream = (aggregate: StreamAggregate | null, used: UsedByRuns = UNMEASURED): readonly StreamEvent[] => {
  const current = requireStream(aggregate);
  switch (current.stream.state) {
    case 'FAILED':
      return [];
    case 'COMPLETED':
    case 'EXPIRED':
      throw conflict(`The stream is ${current.stream.state} and cannot be canceled.`);
    case 'READY':
      return [...abortRuns(current, used), { type: 'StreamCanceled', data: { reason: CANCELED_BY_USER, ...endOf(current) } }];
  }
};

/** What `PATCH` of a stream changes; absent members stay. */
export interface StreamDescription {
  readonly name?: string;
  readonly labels?: readonly string[];
}

/** Renames and labels a stream. Returns nothing if it already has this name and these labels. */
export const describeStream = (aggregate: StreamAggregate | null, { name, labels }: StreamDescription): readonly StreamEvent[] => {
  const { stream } = requireStream(aggregate);
  const renamed: StreamEvent[] = name === undefined || stream.name === name ? [] : [{ type: 'StreamRenamed', data: { name } }];
  if (labels === undefined || isDeepStrictEqual(stream.labels, labels)) return renamed;
  return [...renamed, { type: 'StreamLabeled', data: { labels: [...labels] } }];
};

/**
 * Expires a stream whose data have been deleted, by retention or on request. Returns nothing for an EXPIRED one. A rerun that began during the deletion
 * has no data, so it fails first.
 */
export const expireStream = (aggregate: StreamAggregate | null, reason: string): readonly StreamEvent[] => {
  const current = requireStream(aggregate);
  const { state, attempt } = current.stream;
  if (state === 'EXPIRED') return [];
  const expired: StreamEvent = { type: 'StreamExpired', data: { reason } };
  if (state !== 'READY') return [expired];
  if (attempt === 1) throw conflict('The stream is still running. Cancel it first.');
  return [...abortRuns(current, UNMEASURED), { type: 'StreamFailed', data: { reason: DATA_GONE, attempt } }, expired];
};

/** The newest run of the stage, if it belongs to this attempt of the stream. */
const runIn = (
  aggregate: StreamAggregate | null,
  { processorId, streamAttempt = 1 }: { processorId: string; streamAttempt?: number },
): StreamRun | null => {
  const run = aggregate && runsOf(aggregate, processorId)[0];
  return run?.streamAttempt === streamAttempt ? run : null;
};

/** Starts a run, or starts it again with a higher attempt after its worker died. */
export const startRun = (aggregate: StreamAggregate | null, data: StreamData<'ProcessorStarted'>): RunDecision => {
  const run = runIn(aggregate, data);
  if (run?.state !== 'WAITING' && run?.state !== 'RUNNING') return 'stale';
  if (run.attempt === data.attempt) return [];
  return data.attempt > run.attempt ? [{ type: 'ProcessorStarted', data }] : 'stale';
};

/** What happens between a run and its engine. */
export type EngineEvent = Extract<StreamEvent, { type: 'EngineAwaited' | 'EngineReturned' | 'EngineChosen' }>;

/** Nothing once the run has ended or another attempt has overtaken it. */
export const recordEngine = (aggregate: StreamAggregate | null, event: EngineEvent): readonly StreamEvent[] => {
  const run = runIn(aggregate, event.data);
  return run?.state === 'RUNNING' && run.attempt === event.data.attempt ? [event] : [];
};

const endRun = (
  aggregate: StreamAggregate | null,
  event: Extract<StreamEvent, { type: 'ProcessorCompleted' | 'ProcessorFailed' }>,
): RunDecision => {
  const run = runIn(aggregate, event.data);
  if (!aggregate || run?.attempt !== event.data.attempt) return 'stale';
  if (run.state === 'RUNNING') return withStreamEnd(aggregate, [event]);
  const same =
    event.type === 'ProcessorCompleted'
      ? run.state === 'COMPLETED'
      : run.state === 'ERROR' && run.errorName === event.data.errorName && run.stateDescription === event.data.reason;
  return same ? [] : 'stale';
};

/** Completes a run, and the stream if it was the last one. */
export const completeRun = (aggregate: StreamAggregate | null, data: StreamData<'ProcessorCompleted'>): RunDecision =>
  endRun(aggregate, { type: 'ProcessorCompleted', data });

/** Fails a run, and closes the stages that read its output. */
export const failRun = (aggregate: StreamAggregate | null, data: StreamData<'ProcessorFailed'>): RunDecision =>
  endRun(aggregate, { type: 'ProcessorFailed', data });

/** Starts and completes a short run in one append. */
export const shortRun = (aggregate: StreamAggregate | null, data: StreamData<'ProcessorCompleted'>): RunDecision => {
  const { processorId, attempt, streamAttempt } = data;
  const started = startRun(aggregate, { processorId, attempt, ...(streamAttempt !== undefined && { streamAttempt }) });
  if (started === 'stale') return 'stale';
  const ended = completeRun(evolveAll(aggregate, started), data);
  return ended === 'stale' ? 'stale' : [...started, ...ended];
};
