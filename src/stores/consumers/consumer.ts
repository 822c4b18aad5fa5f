import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import type { Leases } from '../leases/leases.ts';
import type { EventLog, RecordedEvent } from '../log/eventLog.ts';

/** Something that follows the log with durable progress of its own: at least once, in order, independent of every read model. */
export interface Consumer {
  /** Names its checkpoint (`consumer/<name>`) and its lease. */
  readonly name: string;
  readonly types: readonly string[];
  /**
   * Must be repeatable. A rejection is retried with back-off; the checkpoint moves on only when it has resolved. `DamagedEventStream` is not retried: then each
   * event is handled alone, and one that needs the damaged event stream is passed over.
   */
  handle(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void>;
  /** Makes what has been handled so far survive a restart. Called before the checkpoint is saved. Default: `handle` has done so. */
  settle?(): Promise<void>;
}

/** How a consumer gets on that runs on this node. */
export interface ConsumerProgress {
  /** Events handled since it took its lease. */
  handled: number;
  failures: number;
  /** Time of the oldest event that it has in hand and has not handled, ISO 8601; `null` when it waits for the next. */
  oldest: string | null;
}

export interface ConsumerDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By name: those whose lease this node holds. */
  readonly progress?: Map<string, ConsumerProgress>;
}
