import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { AnyProjection } from './fold.ts';
import type { Foreground } from './foreground.ts';

export interface EngineDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly AnyProjection[];
  /** Serve the read models of an older version of the code until this version's are built. */
  readonly serveStale?: boolean;
  /** Set when no other process reads or builds these read models. */
  readonly alone?: boolean;
  /** Open requests of this process, which have priority over rebuilds. */
  readonly foreground?: Foreground;
}

export interface RebuildProgress {
  readonly name: string;
  /** Of the log's events, 0 to 1; `null` until they are counted. */
  readonly share: number | null;
  /** Events read so far, of every type, and their pace; `null` until they are counted. */
  readonly read: { readonly events: number; readonly perSecond: number } | null;
  /** An estimate; `null` until the log's events are counted. */
  readonly secondsLeft: number | null;
}

export interface RebuildOptions {
  readonly signal?: AbortSignal;
  /** Called when the new collection exists and the rebuild can no longer be refused. */
  readonly onBegun?: () => void;
  /** Called for each projection twice a second and once at the end. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/** The collection that serves reads of a projection. */
export interface Served {
  readonly projection: AnyProjection;
  readonly collection: string;
  /** `false` for documents of another version: this version's events must not be folded onto them. */
  readonly current: boolean;
}
