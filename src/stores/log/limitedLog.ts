import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import type { DiskSpace } from '../diskSpace.ts';
import { WrongExpectedRevision } from '../eventStore.ts';
import type { AppendContext, DomainEvent, EventLog } from './eventLog.ts';
import type { LogPace } from './logPace.ts';
import type { LogUsage } from './logUsage.ts';
import { observedLog } from './observedLog.ts';

/** Approximate size of one event's metadata, ids, hashes and rows in the store. */
const EVENT_OVERHEAD_BYTES = 600;

/** Credentials are UUIDs, outside issuers `jwt:<issuer>`; policies, processors and the platform itself have names of other forms. */
const CALLER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|jwt:)/i;

/** Whether an actor is a user, not the platform itself. */
const isCaller = (actor: string): boolean => CALLER.test(actor);

const sizeOf = (events: readonly DomainEvent[]): number =>
  events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);

/** Facts about a user's webhooks: twenty endpoints make them the larger part of what an upload writes. */
const DELIVERY = 'delivery';

/** Their events are never slowed down, but count for the pace of the user's later commands. */
const isOnlyCounted = ({ actor, aboutOther }: AppendContext): boolean => actor === DELIVERY || (aboutOther === true && isCaller(actor));

export interface LogLimits {
  readonly pace: Pick<LogPace, 'wait' | 'count'>;
  readonly usage: Pick<LogUsage, 'count'>;
  readonly disk: Pick<DiskSpace, 'isShort' | 'count'>;
}

/**
 * The log, which slows down and counts the events of users' own commands. Facts about their webhooks and commands of administrators about them are not
 * slowed down. A command that is repeated after a conflict with another node waits and counts for the pace once. While the disk is short, all events about
 * a user count for that user's share.
 */
export const limitedLog = (log: EventLog, { pace, usage, disk }: LogLimits): EventLog => {
  const waited = new WeakSet<AppendContext>();
  return observedLog(log, async ({ context, events }, appendNow) => {
    const { subject, actor } = context;
    const append = async () => {
      const appended = await appendNow();
      if (disk.isShort) disk.count(subject, sizeOf(events) + events.length * EVENT_OVERHEAD_BYTES);
      return appended;
    };
    const isCounted = isOnlyCounted(context);
    if (!isCounted && !isCaller(actor)) return append();
    const bytes = sizeOf(events);
    if (!isCounted && !waited.delete(context)) await pace.wait(subject, bytes);
    // Checking, encoding and hashing a large event takes some milliseconds.
    if (bytes > SMALL_STEP_BYTES) await ownTurn();
    const appended = await append().catch((error: unknown) => {
      if (error instanceof WrongExpectedRevision) waited.add(context);
      throw error;
    });
    // Afterwards, so that a command that is repeated after conflicts counts once.
    if (isCounted) pace.count(subject, bytes);
    if (isCaller(actor)) usage.count(subject, bytes + events.length * EVENT_OVERHEAD_BYTES);
    return appended;
  });
};
