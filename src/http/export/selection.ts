import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import { loaded } from '../answers/readPage.ts';
import { isUuid } from '../input/uuid.ts';
import type { Place } from '../limits/requestPlaces.ts';
import type { ApiRequest } from '../route/route.ts';
import { lookUpStream } from '../streams/streamLookup.ts';
import type { StreamNews } from '../streams/streamNews.ts';
import type { StreamSelection } from './parameters.ts';

export interface SelectionDeps {
  readonly readModels: ReadModels;
  readonly clock: Clock;
  /** Longest wait in milliseconds (EXPORT_MAX_WAIT_MS). */
  readonly maxWait: number;
  /** Reports changes, so that polling can be rare. */
  readonly news: StreamNews;
}

/** The caller, and how long to wait. */
export interface Asking {
  readonly caller: Caller;
  /** Aborts when the client disconnects; the wait then ends with its reason. */
  readonly signal: AbortSignal;
  /** Left while the request waits. */
  readonly place: Place;
  /** When the request arrived, by the clock's `monotonic`. */
  readonly since: number;
}

export const askingOf = ({ clock }: Pick<SelectionDeps, 'clock'>, { caller, signal, place }: ApiRequest): Asking => ({
  caller,
  signal,
  place,
  since: clock.monotonic(),
});

const FIRST_STEP_MS = 25;
const LAST_STEP_MS = 2_000;
const MAX_STREAMS = 10_000;
const IN_ORDER_OF_CREATION = [{ member: 'createdTimestamp', direction: 'asc' }] as const;

/** The streams of a read, which exist and which the caller may see. */
export interface SelectedStreams {
  readonly ids: readonly string[];
  /** Whether their group was asked for, and not they themselves. */
  readonly ofGroup: boolean;
}

/**
 * The requested streams, in the given order or in order of creation. Waits until they exist. Throws 404 if they do not exist in time, and 400 if
 * listed ones are not in the given group, or are not all the caller's and not in one group.
 */
export const selectStreams = (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<SelectedStreams> =>
  selection.streams.length > 0 && !selection.exclude ? listedStreams(deps, selection, asking) : groupStreams(deps, selection, asking);

/** The documents of the streams, loaded a few at a time: a group may have ten thousand. */
export async function* documentsOf(
  deps: SelectionDeps,
  { ids, ofGroup }: SelectedStreams,
  { caller }: Asking,
): AsyncGenerator<StreamDocument> {
  if (ofGroup) {
    yield* loaded(ids, (some) => deps.readModels.getMany(streamsProjection, some));
    return;
  }
  for (const id of ids) {
    const document = await lookUpStream(deps.readModels, id, caller);
    if (!document) throw notFound('stream');
    yield document;
  }
}

/** The stream once it has ended. Throws 504 if it still runs after the longest wait. */
export const whenEnded = async (deps: SelectionDeps, stream: StreamDocument, asking: Asking): Promise<StreamDocument> => {
  if (hasEnded(stream)) return stream;
  const ended = await awaited(deps, asking.since + deps.maxWait, asking, stream.stream.streamId, async () => {
    const now = await lookUpStream(deps.readModels, stream.stream.streamId, asking.caller);
    return now && hasEnded(now) ? now : null;
  });
  if (ended) return ended;
  throw new Problem('GENERAL_TIME_OUT_ERROR', 'The streams are still being processed. Try again, or wait for the event stream.completed.');
};

const listedStreams = async (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<SelectedStreams> => {
  if (!selection.streams.every(isUuid)) throw notFound('stream');
  const deadline = creationDeadline(deps, selection, asking);
  const groups = new Set<string>();
  let areOwn = true;
  for (const streamId of selection.streams) {
    const document = await awaited(deps, deadline, asking, streamId, () => lookUpStream(deps.readModels, streamId, asking.caller));
    if (!document) throw notFound('stream');
    const { groupId, creatorId } = document.stream;
    if (selection.group !== undefined && groupId !== selection.group)
      throw new Problem('GENERAL_BAD_REQUEST_ERROR', `The stream ${streamId} does not belong to the group ${selection.group}.`);
    groups.add(groupId);
    areOwn &&= creatorId === asking.caller.subject;
  }
  if (groups.size > 1 && !areOwn)
    throw new Problem(
      'GENERAL_BAD_REQUEST_ERROR',
      'Streams of other users must belong to one group. Export those of each group by themselves.',
    );
  return { ids: selection.streams, ofGroup: false };
};

const groupStreams = async (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<SelectedStreams> => {
  const { group = '', count } = selection;
  if (!isUuid(group)) throw notFound('group');
  const where = hasRole(asking.caller, 'admin') ? { groupId: group } : { groupId: group, creatorId: asking.caller.subject };
  const excluded = new Set(selection.exclude ? selection.streams : []);
  const wanted = count ?? MAX_STREAMS;
  const limit = Math.min(wanted, MAX_STREAMS) + excluded.size;
  const created = async (): Promise<string[] | null> => {
    const found = await deps.readModels.findIds(streamsProjection, { where, orderBy: IN_ORDER_OF_CREATION, limit });
    if (found.length < (count ?? 1)) return null;
    const ids = found.filter((id) => !excluded.has(id)).slice(0, wanted);
    return ids.length >= (count ?? 1) ? ids : null;
  };
  const ids = await awaited(deps, creationDeadline(deps, selection, asking), asking, group, created);
  if (!ids) throw notFound('group with that many streams');
  return { ids, ofGroup: true };
};

const creationDeadline = ({ maxWait }: SelectionDeps, { timeout }: StreamSelection, { since }: Asking): number =>
  since + Math.min(timeout ?? maxWait, maxWait);

const hasEnded = ({ stream }: StreamDocument): boolean => stream.state !== 'READY';

/**
 * Repeats the read at each change of `id` until it gives an answer; `null` at the deadline. Also polls at growing intervals, because read models may lag
 * behind a change, and a change may come before the subscription.
 */
const awaited = async <T>(
  { clock, news }: SelectionDeps,
  deadline: number,
  { signal, place }: Asking,
  id: string,
  read: () => Promise<T | null>,
): Promise<T | null> => {
  const listener = news.listen(id);
  try {
    for (let step = FIRST_STEP_MS; ; ) {
      const answer = await read();
      if (answer !== null) return answer;
      const left = deadline - clock.monotonic();
      if (left <= 0) return null;
      const told = await place.outside(() => listener.next(Math.min(step, left), signal));
      step = told ? FIRST_STEP_MS : Math.min(step * 2, LAST_STEP_MS);
    }
  } finally {
    listener.stop();
  }
};
