import { IMPORTS, isImportsEvent } from '../../domain/audit/imports.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';

/**
 * Start of a read without a checkpoint: the former store of a moved log has sent all earlier webhooks. `null` for a log that was never moved.
 * Rejects with `StoreUnavailable`.
 */
export const positionAfterMove = async (log: EventLog): Promise<Position | null> => {
  const [last] = await log.readStream(IMPORTS, { direction: 'backwards', limit: 1 });
  if (!last || !isImportsEvent(last)) return null;
  // A position of this store, looked up by the import.
  return (last.data.deliveredThrough as Position | null) ?? last.position;
};
