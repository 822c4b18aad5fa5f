import { getJson, send } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/useResource.ts';

const BASE = '/operations-service/api/v1';
const EVERY_MILLISECONDS = 2_000;

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

/** Read again and again, as whoever stands before it expects. */
const useWatched = <T>(path: string): Resource<T> =>
  useResource({ key: path, load: (signal) => getJson<T>(path, { signal }), every: () => EVERY_MILLISECONDS });

export const useProjections = () => useWatched<readonly ProjectionRow[]>(`${BASE}/projections`);
export const useLeases = () => useWatched<readonly LeaseRow[]>(`${BASE}/leases`);
export const useStores = () => useWatched<readonly StoreRow[]>(`${BASE}/stores`);

/** `all`: every read model. */
export const rebuild = (name: string) => send<readonly ProjectionRow[]>('POST', `${BASE}/projections/${encodeURIComponent(name)}/rebuild`);
