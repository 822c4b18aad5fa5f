import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import type { DomainEvent, EventLog, LogAppend } from './eventLog.ts';
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

/**
 * The log, which slows down and counts the events of users' own commands. Facts about their webhooks are never slowed down, but count for the pace
 * of later commands.
 */
export const limitedLog = (
  log: EventLog,
  { pace, usage }: { readonly pace: Pick<LogPace, 'wait' | 'count'>; readonly usage: Pick<LogUsage, 'count'> },
): EventLog =>
  observedLog(log, async (appends, append) => {
    for (const { context, events } of appends) if (context.actor === DELIVERY) pace.count(context.subject, sizeOf(events));
    const byUsers = appends.filter(({ context }) => isCaller(context.actor)).map(measured);
    for (const { subject, bytes } of byUsers) {
      await pace.wait(subject, bytes);
      // Checking, encoding and hashing a large event takes some milliseconds.
      if (bytes > SMALL_STEP_BYTES) await ownTurn();
    }
    const appended = await append();
    for (const { subject, bytes, overhead } of byUsers) usage.count(subject, bytes + overhead);
    return appended;
  });

const measured = ({ context: { subject }, events }: LogAppend) => ({
  subject,
  bytes: sizeOf(events),
  overhead: events.length * EVENT_OVERHEAD_BYTES,
});
