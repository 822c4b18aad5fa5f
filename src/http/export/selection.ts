import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { pages } from '../../stores/pages.ts';
import { isUuid } from '../input/uuid.ts';
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
  /** When the request arrived, by the clock's `monotonic`. */
  readonly since: number;
}

const FIRST_STEP_MS = 25;
const LAST_STEP_MS = 2_000;
const PAGE = 100;
const MAX_STREAMS = 10_000;

/**
 * The requested streams, in the given order or in order of creation. Waits until they exist. Throws 404 if they do not exist in time, and 400 if the
 * listed ones are not in one group, or not in the given group.
 */
export const selectStreams = (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<StreamDocument[]> =>
  selection.streams.length > 0 && !selection.exclude ? listedStreams(deps, selection, asking) : groupStreams(deps, selection, asking);

/** Yields each stream once it has ended. Throws 504 if one still runs after the longest wait. */
export const whenEnded = async (deps: SelectionDeps, streams: readonly StreamDocument[], asking: Asking): Promise<StreamDocument[]> => {
  const deadline = asking.since + deps.maxWait;
  const ended: StreamDocument[] = [];
  for (const stream of streams) {
    const document = hasEnded(stream)
      ? stream
      : await awaited(deps, deadline, asking, stream.stream.streamId, async () => {
          const now = await lookUpStream(deps.readModels, stream.stream.streamId, asking.caller);
          return now && hasEnded(now) ? now : null;
        });
    if (!document) {
      throw new Problem(
        'GENERAL_TIME_OUT_ERROR',
        'The streams are still being processed. Try again, or wait for the event stream.completed.',
      );
    }
    ended.push(document);
  }
  return ended;
};

const listedStreams = async (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<StreamDocument[]> => {
  if (!selection.streams.every(isUuid)) throw notFound('stream');
  const deadline = creationDeadline(deps, selection, asking);
  const found: StreamDocument[] = [];
  for (const streamId of selection.streams) {
    const document = await awaited(deps, deadline, asking, streamId, () => lookUpStream(deps.readModels, streamId, asking.caller));
    if (!document) throw notFound('stream');
    const group = selection.group ?? found[0]?.stream.groupId ?? document.stream.groupId;
    if (document.stream.groupId !== group)
      throw new Problem('GENERAL_BAD_REQUEST_ERROR', 'All streams must belong to one group, and to the group given.');
    found.push(document);
  }
  return found;
};

const groupStreams = async (deps: SelectionDeps, selection: StreamSelection, asking: Asking): Promise<StreamDocument[]> => {
  const { group = '', count } = selection;
  if (!isUuid(group)) throw notFound('group');
  const where = hasRole(asking.caller, 'admin') ? { groupId: group } : { groupId: group, creatorId: asking.caller.subject };
  const excluded = new Set(selection.exclude ? selection.streams : []);
  const created = async (): Promise<StreamDocument[] | null> => {
    const streams = await inOrderOfCreation(deps.readModels, where, excluded, count ?? MAX_STREAMS);
    return streams.length >= (count ?? 1) ? streams : null;
  };
  const found = await awaited(deps, creationDeadline(deps, selection, asking), asking, group, created);
  if (!found) throw notFound('group with that many streams');
  return found;
};

/** At most `wanted` streams, not counting those left out. */
const inOrderOfCreation = async (
  readModels: ReadModels,
  where: NonNullable<FindOptions['where']>,
  excluded: ReadonlySet<string>,
  wanted: number,
): Promise<StreamDocument[]> => {
  const found: StreamDocument[] = [];
  const orderBy = [{ member: 'createdTimestamp', direction: 'asc' }] as const;
  const all = pages<StreamDocument>((_, skip) => readModels.find(streamsProjection, { where, orderBy, skip, limit: PAGE }), PAGE);
  for await (const page of all) {
    found.push(...page.filter(({ stream }) => !excluded.has(stream.streamId)));
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
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
  { signal }: Asking,
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
      const told = await listener.next(Math.min(step, left), signal);
      step = told ? FIRST_STEP_MS : Math.min(step * 2, LAST_STEP_MS);
    }
  } finally {
    listener.stop();
  }
};
