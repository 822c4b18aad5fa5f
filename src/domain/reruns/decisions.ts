import { earlierOf } from '../idempotency.ts';
import { limitReached, notFound } from '../problem.ts';
import type { RerunsEvent } from './events.ts';
import type { Refusal, RerunsState } from './state.ts';

type Requested = Extract<RerunsEvent, { type: 'BulkRerunRequested' }>['data'];

export type BulkRerunRequest = Omit<Requested, 'matched' | 'queued'>;

/** The streams that match a filter, oldest first; `total` also counts those beyond the list. */
export interface Matches {
  readonly total: number;
  readonly streamIds: readonly string[];
}

/** Most waiting streams of one user, in all bulk reruns together. */
export const MAX_WAITING_STREAMS = 10_000;
const MAX_RUNNING_REQUESTS = 20;
/** Most streams in one event. */
const STREAMS_TOGETHER = 1_000;

/** Those of the streams that will wait: neither already waiting, nor beyond the limit. */
const toQueue = ({ requests }: RerunsState, { streamIds }: Matches): string[] => {
  const waiting = new Set(requests.flatMap((request) => request.waiting));
  return streamIds.filter((streamId) => !waiting.has(streamId)).slice(0, Math.max(0, MAX_WAITING_STREAMS - waiting.size));
};

/** Queues the streams; nothing if an earlier request with the same key did. Throws 409, and 429 if too many bulk reruns are running. */
export const requestReruns = (state: RerunsState, request: BulkRerunRequest, matches: Matches): readonly RerunsEvent[] => {
  if (earlierOf(state.requests, request.idempotency)) return [];
  if (state.requests.filter((one) => one.state === 'RUNNING').length >= MAX_RUNNING_REQUESTS) {
    throw limitReached(`At most ${MAX_RUNNING_REQUESTS} bulk reruns may be unfinished. Wait until one ends.`, 60);
  }
  const queued = toQueue(state, matches);
  const { requestId } = request;
  const events: RerunsEvent[] = [{ type: 'BulkRerunRequested', data: { ...request, matched: matches.total, queued: queued.length } }];
  for (let at = 0; at < queued.length; at += STREAMS_TOGETHER)
    events.push({ type: 'RerunsQueued', data: { requestId, streamIds: queued.slice(at, at + STREAMS_TOGETHER) } });
  return events;
};

/**
 * The streams `handled` have been started or refused. Records those at the head of the queue: another node may already have recorded some. Nothing
 * for a bulk rerun that has ended.
 */
export const recordHandled = (
  state: RerunsState,
  requestId: string,
  handled: readonly string[],
  refused: readonly Refusal[],
): readonly RerunsEvent[] => {
  const request = state.requests.find((one) => one.requestId === requestId);
  if (request?.state !== 'RUNNING') return [];
  const left = request.waiting.findIndex((streamId) => !handled.includes(streamId));
  const recorded = left < 0 ? request.waiting : request.waiting.slice(0, left);
  if (recorded.length === 0) return [];
  const refusals = refused.filter(({ streamId }) => recorded.includes(streamId));
  return [{ type: 'QueuedRerunsHandled', data: { requestId, handled: recorded.length, refused: refusals } }];
};

/** Nothing for an ended bulk rerun. Throws 404 for an unknown one. */
export const cancelBulkRerun = ({ requests }: RerunsState, requestId: string): readonly RerunsEvent[] => {
  const request = requests.find((one) => one.requestId === requestId);
  if (!request) throw notFound('bulk rerun');
  return request.state === 'RUNNING' ? [{ type: 'BulkRerunCanceled', data: { requestId } }] : [];
};
