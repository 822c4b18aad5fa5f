import { type EventLog, NewerVersion } from '../../stores/log/eventLog.ts';
import { EventContexts } from '../plan/eventContexts.ts';
import { Bodies, SourceUnreadable } from './bodies.ts';
import { bodyFor } from './rendering.ts';

/** The parts of a delivery that determine its body. */
export interface SentDelivery {
  readonly endpointId: string;
  readonly type: string;
  /** Event stream of the source event. */
  readonly source: string;
  readonly sourceEventId: string;
  readonly sourceRevision: string;
  readonly renderer: number;
}

/** The body of a delivery, for its owner to see. `null` if its event has left the log. Not cached, because bodies are personal. */
export const payloadOf = async (
  log: EventLog,
  { source, sourceEventId, sourceRevision, endpointId, type, renderer }: SentDelivery,
): Promise<string | null> => {
  const bodies = new Bodies(log, new EventContexts(log));
  const from = { sourceEventId, sourceEventStream: source, sourceRevision, sourcePosition: '' };
  try {
    return bodyFor(await bodies.of(from, type, renderer), endpointId);
  } catch (error) {
    // The second one only during an upgrade of several nodes: a newer node can answer.
    if (error instanceof SourceUnreadable || error instanceof NewerVersion) return null;
    throw error;
  }
};
