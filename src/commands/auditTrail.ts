import { type AuditEvent, auditEventStream } from '../domain/audit/events.ts';
import { conflict } from '../domain/problem.ts';
import { type Position, WrongExpectedRevision } from '../stores/eventStore.ts';
import type { AppendContext, EventLog } from '../stores/log/eventLog.ts';
import { Serial } from '../stores/serial.ts';

/** Conflicts can only come from other nodes. */
const MAX_CONFLICTS = 32;

/**
 * Records actions of auditors and admins on the log, in their own event streams. Does not use the command cycle: nothing is decided on earlier
 * records, of which there may be many.
 */
export class AuditTrail {
  readonly #log: EventLog;
  readonly #turns = new Serial();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Durable when it resolves. Entries of one subject wait for each other. */
  record(event: AuditEvent, context: AppendContext): Promise<Position> {
    const eventStream = auditEventStream(context.subject);
    return this.#turns.run(eventStream, () => this.#append(eventStream, event, context));
  }

  async #append(eventStream: string, event: AuditEvent, context: AppendContext): Promise<Position> {
    for (let conflicts = 0; conflicts <= MAX_CONFLICTS; conflicts++) {
      const [last] = await this.#log.readStream(eventStream, { direction: 'backwards', limit: 1 });
      const head = last ? { revision: last.revision, hash: last.metadata.hash } : { revision: 'no stream' as const, hash: null };
      try {
        return (await this.#log.append(eventStream, head, [event], context)).position;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
    throw conflict('Too many reads at once. Try again.');
  }
}
