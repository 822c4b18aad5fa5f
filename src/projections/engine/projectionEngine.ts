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
  /** Serve the read models of an older version of the code until those of this one have been built. */
  readonly serveStale?: boolean;
  /** No other process reads or builds these read models. */
  readonly alone?: boolean;
  /** What this process answers meanwhile. */
  readonly foreground?: Foreground;
}

/** How far a rebuild has come. */
export interface RebuildProgress {
  readonly name: string;
  /** Of the log, 0 to 1; `null` when nothing can be said yet. */
  readonly share: number | null;
  /** Events read so far, of every type, and their pace; `null` when another node does it. */
  readonly read: { readonly events: number; readonly perSecond: number } | null;
  /** An estimate; `null` when nothing can be said yet. */
  readonly secondsLeft: number | null;
}

export interface RebuildOptions {
  readonly signal?: AbortSignal;
  /** Called when the fresh collection has been begun: nothing refuses the rebuild any more. */
  readonly onBegun?: () => void;
  /** Called twice a second and once at the end, for each projection. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/** Where reads of a projection go. */
export interface Served {
  readonly projection: AnyProjection;
  readonly collection: string;
  /** `false` for the documents of another version: they must not be folded on. */
  readonly current: boolean;
}

export interface ProjectionEngine {
  /** Takes the projections to the head of the log and keeps them there until the signal aborts. Resolves once they run. */
  start(signal: AbortSignal): Promise<void>;
  /** Instead of `start`, on a node that leaves the work to others: sees which documents they have built, and follows their progress. */
  observe(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that `start` or `observe` began has ended. */
  finished(): Promise<void>;
  /** Whether every projection has documents to serve: of this version, built whole once (or of an older one with `serveStale`). */
  ready(): boolean;
  /** Resolves when `ready`; rejects with the signal's reason. A build that stops at an event waits until it is skipped: see `status`. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** One row a projection, and one more for a rebuild beside it. Works without `start`. */
  status(): Promise<ProjectionStatus[]>;
  /**
   * From zero into a fresh collection, which takes over in one step when it has caught up; then the old one is dropped. Done here after `start`, or
   * when nobody else is there; else by a node that was started, and here if none takes it up within seconds. Rejects with a `Problem`: 404 for an unknown name, 409 while one is being built, or when an event makes it throw.
   */
  rebuild(name: string, options?: RebuildOptions): Promise<void>;
  /** Goes on after the event that stopped the projection. 404 for an unknown name, 409 when it has not stopped at that position. */
  skip(name: string, position: string): Promise<void>;
  /** Drops all builds that are neither served nor being built; answers with their names. 404 for an unknown projection. Default: of all. */
  dropOld(name?: string): Promise<string[]>;
  /** Lets go of all events that this process keeps. */
  forget(): void;
  /** How many documents hold something personal of a subject. */
  countPersonal(subject: string): Promise<number>;
  /**
   * Resolves when nothing of a subject that was erased at `position` is readable in any read model, in files too. Rejects with a `Problem` (503) when
   * that cannot be had now.
   */
  erased(position: Position): Promise<void>;
  /** See `ReadModels.waitFor`, for one projection. */
  waitFor(name: string, position: Position, milliseconds: number): Promise<boolean>;
  /** Throws a `Problem` (503) while there is nothing to read. */
  served(name: string): Served;
}
