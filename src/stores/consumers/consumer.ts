import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import type { Leases } from '../leases/leases.ts';
import type { EventLog, RecordedEvent } from '../log/eventLog.ts';

/** Follows the log with durable progress of its own: at least once, in order, independent of read models. */
export interface Consumer {
  /** Names its checkpoint (`consumer/<name>`) and its lease. */
  readonly name: string;
  readonly types: readonly string[];
  /**
   * Must be repeatable. A rejection is retried with back-off; the checkpoint advances only when it resolves. `DamagedEventStream` is not retried:
   * then each event is handled alone, and those that need the damaged event stream are skipped.
   */
  handle(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void>;
  /** Called when this node takes the lease: what it remembers of an earlier holding may be outdated. */
  begin?(): void;
  /** Makes the handled events survive a restart. Called before the checkpoint is saved. Default: `handle` has done so. */
  settle?(): Promise<void>;
}

/** Progress of a consumer on this node. */
export interface ConsumerProgress {
  /** Events handled since it took its lease. */
  handled: number;
  failures: number;
  /** Time of the oldest unhandled event, ISO 8601; `null` while it waits for the next event. */
  oldest: string | null;
}

export interface ConsumerDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By name, for the consumers whose lease this node holds. */
  readonly progress?: Map<string, ConsumerProgress>;
}
