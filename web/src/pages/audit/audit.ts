import { getJson } from '../../api/request.ts';
import type { Json, JsonObject } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import type { Change } from '../../parts/Differences.tsx';
import { href } from '../../shell/place.ts';

const BASE = '/audit-service/api/v1';
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

export interface LogPage {
  readonly content: readonly LogEvent[];
  /** Where the next page begins; `null` at the end. */
  readonly next: string | null;
}

export interface EventStreamState {
  readonly eventStream: string;
  readonly revision: string;
  readonly state: Json;
  /** From `state` to the one that it is compared with. */
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
}

export const FILTERS = ['category', 'type', 'eventStream', 'subject', 'correlationId', 'from', 'to'] as const;

/** A page of the log, newest first. Every reading is recorded in the log: nothing is read again by itself. */
export const useLog = (query: URLSearchParams): Resource<LogPage> => {
  const chosen = Object.fromEntries([...FILTERS, 'after' as const].map((name) => [name, query.get(name)]));
  const times = Object.fromEntries((['from', 'to'] as const).map((name) => [name, asTime(query.get(name))]));
  return useResource({
    key: JSON.stringify(chosen),
    load: (signal) => getJson<LogPage>(`${BASE}/events`, { query: { ...chosen, ...times, size: SIZE }, signal }),
  });
};

/** Of what a field for local times holds; a revision stays one. */
const asTime = (text: string | null): string | null => {
  const time = text === null || /^\d+$/.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
};

export const useEvent = (id: string): Resource<LogEvent> =>
  useResource({ key: id, load: (signal) => getJson<LogEvent>(`${BASE}/events/${encodeURIComponent(id)}`, { signal }) });

/** `asOf` and `compareWith`: a revision or a time; none: now, and no difference. */
export const useEventStream = (name: string, asOf: string | null, compareWith: string | null): Resource<EventStreamState> =>
  useResource({
    key: JSON.stringify([name, asOf, compareWith]),
    load: (signal) =>
      getJson<EventStreamState>(`${BASE}/event-streams/${encodeURIComponent(name)}`, {
        query: { asOf: asTime(asOf), compareWith },
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
