import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { WrongExpectedRevision } from '../eventStore.ts';
import type { AppendContext, DomainEvent, EventLog, LogAppend } from './eventLog.ts';
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
const isOnlyCounted = ({ actor, aboutOther }: AppendContext): boolean => actor === DELIVERY || aboutOther === true;

/**
 * The log, which slows down and counts the events of users' own commands. Facts about their webhooks and commands of administrators about them are not
 * slowed down. A command that is repeated after a conflict with another node waits and counts for the pace once.
 */
export const limitedLog = (
  log: EventLog,
  { pace, usage }: { readonly pace: Pick<LogPace, 'wait' | 'count'>; readonly usage: Pick<LogUsage, 'count'> },
): EventLog => {
  const waited = new WeakSet<AppendContext>();
  return observedLog(log, async (appends, append) => {
    for (const { context, events } of appends) if (isOnlyCounted(context)) pace.count(context.subject, sizeOf(events));
    const byUsers = appends.filter(({ context }) => isCaller(context.actor)).map(measured);
    for (const { context, subject, bytes } of byUsers) {
      if (!isOnlyCounted(context) && !waited.delete(context)) await pace.wait(subject, bytes);
      // Checking, encoding and hashing a large event takes some milliseconds.
      if (bytes > SMALL_STEP_BYTES) await ownTurn();
    }
    const appended = await append().catch((error: unknown) => {
      if (error instanceof WrongExpectedRevision) for (const { context } of byUsers) waited.add(context);
      throw error;
    });
    for (const { subject, bytes, overhead } of byUsers) usage.count(subject, bytes + overhead);
    return appended;
  });
};

const measured = ({ context, events }: LogAppend) => ({
  context,
  subject: context.subject,
  bytes: sizeOf(events),
  overhead: events.length * EVENT_OVERHEAD_BYTES,
});
