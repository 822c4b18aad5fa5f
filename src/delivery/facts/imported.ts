import { IMPORTS, isImportsEvent } from '../../domain/audit/imports.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';

/**
 * Where a reading without a checkpoint begins: the store that the log came from has sent the webhooks of everything before. `null` for a log
 * that was never moved. Rejects with `StoreUnavailable`.
 */
export const deliveredElsewhere = async (log: EventLog): Promise<Position | null> => {
  const [last] = await log.readStream(IMPORTS, { direction: 'backwards', limit: 1 });
  if (!last || !isImportsEvent(last)) return null;
  // A position of this store: the import looked it up.
  return (last.data.deliveredThrough as Position | null) ?? last.position;
};
