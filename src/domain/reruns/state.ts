import type { JsonObject } from '../../json.ts';
import type { RerunsEvent } from './events.ts';

type Requested = Extract<RerunsEvent, { type: 'BulkRerunRequested' }>['data'];
type Handled = Extract<RerunsEvent, { type: 'QueuedRerunsHandled' }>['data'];

export type BulkRerunFilter = Requested['filter'];
export type Refusal = Handled['refused'][number];

/** One bulk rerun. Plain JSON. */
export interface BulkRerun extends Omit<Requested, 'patches'> {
  state: 'RUNNING' | 'COMPLETED' | 'CANCELED';
  /** Empty once it has ended. */
  patches: JsonObject;
  requestedTimestamp: string;
  endedTimestamp: string | null;
  /** Waiting streams, in order. */
  waiting: string[];
  started: number;
  refused: number;
  /** The first waiting stream. */
  refusals: Refusal[];
}

/** The bulk reruns of one user, oldest first: all running ones, and the newest ended ones. */
export interface RerunsState {
  readonly requests: readonly BulkRerun[];
}

const REMEMBERED = 1_000;
const SHOWN_REFUSALS = 20;

const createRequest = (data: Requested, time: string): BulkRerun => ({
  ...data,
  // Its owner has been erased, so nothing is left to run.
  ...(data.patches === null || data.queued === 0
    ? { state: 'COMPLETED', endedTimestamp: time }
    : { state: 'RUNNING', endedTimestamp: null }),
  patches: data.patches ?? {},
  requestedTimestamp: time,
  waiting: [],
  started: 0,
  refused: 0,
  refusals: [],
});

const change = ({ requests }: RerunsState, requestId: string, to: (request: BulkRerun) => BulkRerun): RerunsState => ({
  requests: requests.map((request) => (request.requestId === requestId && request.state === 'RUNNING' ? to(request) : request)),
});

const endRequest = (request: BulkRerun, state: 'COMPLETED' | 'CANCELED', time: string): BulkRerun => ({
  ...request,
  state,
  waiting: [],
  patches: {},
  endedTimestamp: time,
});

const noteHandled = (request: BulkRerun, { handled: count, refused }: Handled, time: string): BulkRerun => {
  const waiting = request.waiting.slice(count);
  const counted: BulkRerun = {
    ...request,
    waiting,
    started: request.started + count - refused.length,
    refused: request.refused + refused.length,
    refusals: [...request.refusals, ...refused].slice(0, SHOWN_REFUSALS),
  };
  return waiting.length === 0 ? endRequest(counted, 'COMPLETED', time) : counted;
};

const evolve = (state: RerunsState, event: RerunsEvent, time: string): RerunsState => {
  switch (event.type) {
    case 'BulkRerunRequested': {
      const dropped = state.requests.length >= REMEMBERED ? state.requests.findIndex((request) => request.state !== 'RUNNING') : -1;
      return { requests: [...state.requests.filter((_, n) => n !== dropped), createRequest(event.data, time)] };
    }
    case 'RerunsQueued': {
      const { requestId, streamIds } = event.data;
      return change(state, requestId, (request) => ({ ...request, waiting: [...request.waiting, ...streamIds] }));
    }
    case 'QueuedRerunsHandled':
      return change(state, event.data.requestId, (request) => noteHandled(request, event.data, time));
    case 'BulkRerunCanceled':
      return change(state, event.data.requestId, (request) => endRequest(request, 'CANCELED', time));
    default:
      return event satisfies never;
  }
};

export const rerunsDecider = { initialState: (): RerunsState => ({ requests: [] }), evolve };

/** The next bulk rerun to be served; `undefined` if none waits. */
export const nextBulkRerun = ({ requests }: RerunsState): BulkRerun | undefined => requests.find(({ state }) => state === 'RUNNING');
