import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { ProjectionStatus } from '../projection.ts';
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

/** Progress of a rebuild. */
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

export interface ProjectionEngine {
  /** Brings the projections to the head of the log and keeps them there until the signal aborts. Resolves once they run. */
  start(signal: AbortSignal): Promise<void>;
  /** Alternative to `start` for a node that builds nothing: serves what other nodes build and follows their progress. */
  observe(signal: AbortSignal): Promise<void>;
  /** Resolves when everything started by `start` or `observe` has ended. */
  finished(): Promise<void>;
  /** Whether every projection can be served: with a complete build of this version (or of an older one, with `serveStale`). */
  ready(): boolean;
  /** Resolves when `ready`; rejects with the signal's reason. A build that stops at an event waits until the event is skipped: see `status`. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** One row per projection, plus one for each rebuild in progress. Works without `start`. */
  status(): Promise<ProjectionStatus[]>;
  /**
   * Rebuilds the read model from zero into a new collection, switches to it in one step once it has caught up, and drops the old one. Runs here
   * after `start`, or if no other node takes it within seconds. Rejects with a `Problem`: 404 for an unknown name, 409 while a build is in
   * progress or when an event makes the projection throw.
   */
  rebuild(name: string, options?: RebuildOptions): Promise<void>;
  /** Skips the event at which the projection stopped. 404 for an unknown name, 409 if it did not stop at that position. */
  skip(name: string, position: string): Promise<void>;
  /** Drops all builds that are neither served nor being built and returns their names. 404 for an unknown projection. Default: all projections. */
  dropOld(name?: string): Promise<string[]>;
  /** Drops all cached events of this process. */
  forget(): void;
  /** Number of documents with personal data of a subject. */
  countPersonal(subject: string): Promise<number>;
  /**
   * Resolves when no read model, nor any of its files, still holds readable data of a subject that was erased at `position`. Rejects with a
   * `Problem` (503) if that cannot be reached now.
   */
  erased(position: Position): Promise<void>;
  /** `ReadModels.waitFor` for one projection. */
  waitFor(name: string, position: Position, milliseconds: number): Promise<boolean>;
  /** `ReadModels.keepUp` for one projection. */
  keepsUp(name: string): boolean;
  /** Throws a `Problem` (503) while no build is served. */
  served(name: string): Served;
}
