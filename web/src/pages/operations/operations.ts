import { getJson, send } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/useResource.ts';

const BASE = '/operations-service/api/v1';
const EVERY_MILLISECONDS = 2_000;
/** Its sums are read from the index of all streams. */
const EVERY_KEPT_MILLISECONDS = 30_000;

export interface ProjectionRow {
  readonly name: string;
  readonly version: number;
  readonly position: string | null;
  readonly lagEvents: number;
  readonly lagSeconds: number;
  readonly rate: number;
  readonly state: 'catching-up' | 'live' | 'stopped' | 'rebuilding';
  readonly error: string | null;
}

export interface LeaseRow {
  readonly name: string;
  readonly epoch: number;
  readonly holder: string;
}

export interface StoreRow {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface EngineRow {
  readonly name: string;
  readonly kind: string;
  readonly place: string;
  readonly state: 'ready' | 'away' | 'missing';
  readonly model: string | null;
  readonly detail: string;
}

export interface NodeRow {
  readonly id: string;
  readonly host: string;
  readonly roles: readonly string[];
  readonly joinedTimestamp: string;
  readonly alive: boolean;
  readonly self: boolean;
}

export interface System {
  readonly version: string;
  readonly nodeVersion: string;
  readonly form: 'embedded' | 'cluster';
  readonly startedTimestamp: string;
  readonly disk: {
    readonly freeBytes: number;
    readonly totalBytes: number;
    readonly reservedBytes: number;
    readonly shortage: string | null;
  } | null;
  readonly queues: {
    readonly runs: readonly { readonly lane: string; readonly running: number; readonly waiting: number }[];
    readonly deliveries: { readonly due: number; readonly scheduled: number; readonly inFlight: number };
    /** Streams of all users that run or wait; `null` in the cluster form, which has no limit for them. */
    readonly runningStreams: { readonly running: number; readonly limit: number } | null;
  };
  readonly lastBackup: {
    readonly timestamp: string;
    readonly directory: string;
    readonly bytes: number;
    readonly verified: boolean;
  } | null;
}

export interface KeptRow {
  readonly subject: string;
  readonly names: readonly string[];
  readonly streams: number;
  readonly bytes: number;
  readonly dueStreams: number;
  readonly dueBytes: number;
}

export interface DueRow {
  readonly streamId: string;
  readonly subject: string;
  readonly bytes: number;
  readonly until: string;
}

export interface Kept {
  readonly users: number;
  readonly streams: number;
  readonly bytes: number;
  readonly limitBytes: number | null;
  readonly byUser: readonly KeptRow[];
  readonly due: readonly DueRow[];
}

/** Polled, since its reader watches it. */
const useWatched = <T>(path: string, every = EVERY_MILLISECONDS): Resource<T> =>
  useResource({ key: path, load: (signal) => getJson<T>(path, { signal }), every: () => every });

export const useProjections = () => useWatched<readonly ProjectionRow[]>(`${BASE}/projections`);
export const useLeases = () => useWatched<readonly LeaseRow[]>(`${BASE}/leases`);
export const useStores = () => useWatched<readonly StoreRow[]>(`${BASE}/stores`);

export const useSystem = () => useWatched<System>(`${BASE}/system`);
export const useKept = () => useWatched<Kept>(`${BASE}/kept-results`, EVERY_KEPT_MILLISECONDS);
export const useNodes = () => useWatched<readonly NodeRow[]>(`${BASE}/nodes`);
export const useEngines = () => useWatched<readonly EngineRow[]>(`${BASE}/engines`);

/** `all`: every read model. */
export const rebuild = (name: string) => send<readonly ProjectionRow[]>('POST', `${BASE}/projections/${encodeURIComponent(name)}/rebuild`);
