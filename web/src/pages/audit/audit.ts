import { ask, getJson, send } from '../../api/request.ts';
import type { Json, JsonObject } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import type { Change } from '../../parts/Differences.tsx';
import { isoTime } from '../../parts/localTime.ts';
import { href } from '../../shell/place.ts';

const BASE = '/audit-service/api/v1';
export const EVENTS = `${BASE}/events`;
export const SEALS = `${BASE}/seals`;
export const NDJSON = 'application/x-ndjson';
const SIZE = 50;

export interface LogEvent {
  readonly id: string;
  readonly eventStream: string;
  readonly type: string;
  /** Decimal text, from 0. */
  readonly revision: string;
  readonly position: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

export interface SingleLogEvent extends LogEvent {
  /** The credential that caused it; empty if a part of the platform did. */
  readonly actors: readonly Actor[];
  /** Of an edit or undo of a transcript whose texts are kept. */
  readonly corrections: Corrections | null;
}

export interface SpokenText {
  readonly speaker: string | null;
  readonly text: string;
}

/** What an event changed in a transcript. */
export interface Corrections {
  /** How many utterances differ; `utterances` has the first of them. */
  readonly changed: number;
  readonly utterances: readonly {
    readonly utterance: string;
    /** Milliseconds of the recording. */
    readonly start: number | null;
    readonly before: SpokenText | null;
    readonly after: SpokenText | null;
  }[];
  readonly speakers: readonly { readonly speaker: string; readonly before: string | null; readonly after: string | null }[];
}

export interface LogPage {
  readonly content: readonly LogEvent[];
  /** Where the next page begins; `null` at the end. */
  readonly next: string | null;
  /** The credentials that caused the events. */
  readonly actors: readonly Actor[];
}

export interface Actor {
  readonly id: string;
  readonly label: string | null;
  readonly role: string;
  readonly subject: string;
}

export interface EventKind {
  readonly category: string;
  readonly types: readonly string[];
}

export interface NewestSeal {
  readonly revision: string;
  readonly position: string;
  readonly hash: string | null;
  readonly keyId: string;
  readonly signature: string;
  readonly time: string | null;
}

/** Data destroyed by an erasure. */
export interface ErasureReport {
  readonly streamsCanceled: number;
  readonly deliveriesDropped: number;
  readonly credentialsRevoked: number;
  readonly keysDestroyed: number;
  readonly documentsDestroyed: number;
  readonly topicsDestroyed: number;
}

export interface EventStreamState {
  readonly eventStream: string;
  readonly revision: string;
  readonly state: Json;
  /** From `state` to the compared one. */
  readonly difference?: readonly Change[];
}

export interface Verdict {
  readonly ok: boolean;
  readonly checked: number;
  readonly sealed: string | null;
  readonly firstBroken: {
    readonly eventStream?: string;
    readonly revision?: string;
    readonly position?: string;
    readonly reason: string;
  } | null;
  readonly verifiedTimestamp: string;
  readonly head: string | null;
  readonly seal: NewestSeal | null;
}

export const FILTERS = ['category', 'type', 'eventStream', 'subject', 'correlationId', 'from', 'to'] as const;

/** Kinds of event streams that are hidden until the reader shows them: facts of the deliverer are most of a busy log. */
const HIDDEN_AT_FIRST: readonly string[] = ['delivery'];
/** In the address: nothing is hidden. */
export const NOTHING_HIDDEN = 'none';

/** The kinds that the reader does not see. A kind that is chosen is never hidden. */
export const hiddenKinds = (query: URLSearchParams): readonly string[] => {
  if (['category', 'type', 'eventStream', 'correlationId'].some((name) => query.has(name))) return [];
  const given = query.getAll('exclude');
  return given.length === 0 ? HIDDEN_AT_FIRST : given.filter((kind) => kind !== NOTHING_HIDDEN);
};

/** A page of the log, newest first. Every reading is recorded in the log: nothing is read again by itself. */
export const useLog = (query: URLSearchParams): Resource<LogPage> => {
  const asked = { ...askedOf(query), after: query.get('after') };
  return useResource({
    key: JSON.stringify(asked),
    load: (signal) => getJson<LogPage>(EVENTS, { query: { ...asked, size: SIZE }, signal }),
  });
};

/** The filters of the address as the API takes them. */
export const askedOf = (query: URLSearchParams): Readonly<Record<string, string | readonly string[] | null>> => ({
  exclude: hiddenKinds(query),
  ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])),
  ...Object.fromEntries((['from', 'to'] as const).map((name) => [name, isoTime(query.get(name))])),
});

export const useKinds = (): Resource<readonly EventKind[]> =>
  useResource({ key: 'kinds', load: (signal) => getJson<readonly EventKind[]>(`${BASE}/event-types`, { signal }) });

/** New events that match, as they are appended. One reading is recorded in the log. Ends after some minutes. */
export async function* followLog(query: URLSearchParams, after: string | null, signal: AbortSignal): AsyncGenerator<readonly LogEvent[]> {
  const headers = { Accept: NDJSON };
  const response = await ask('GET', EVENTS, { query: { ...askedOf(query), after, order: 'asc', follow: true }, headers, signal });
  if (!response.body) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map((line): LogEvent => JSON.parse(line));
  }
}

export const erase = (subject: string) => send<ErasureReport>('DELETE', `${BASE}/subjects/${encodeURIComponent(subject)}`);

export const useEvent = (id: string): Resource<SingleLogEvent> =>
  useResource({ key: id, load: (signal) => getJson<SingleLogEvent>(`${BASE}/events/${encodeURIComponent(id)}`, { signal }) });

/** `asOf` and `compareWith`: a revision or a time; missing: now, and no difference. */
export const useEventStream = (name: string, asOf: string | null, compareWith: string | null): Resource<EventStreamState> =>
  useResource({
    key: JSON.stringify([name, asOf, compareWith]),
    load: (signal) =>
      getJson<EventStreamState>(`${BASE}/event-streams/${encodeURIComponent(name)}`, {
        query: { asOf: isoTime(asOf), compareWith },
        signal,
      }),
  });

export const verify = (eventStream: string | null) => getJson<Verdict>(`${BASE}/verify`, { query: { eventStream } });

/** A member of an event's metadata, as text. */
export const told = ({ metadata }: LogEvent, name: string): string => {
  const value = metadata[name];
  return typeof value === 'string' ? value : '';
};

export const eventStreamHref = (name: string): string => href(['audit', 'event-streams', name]);
