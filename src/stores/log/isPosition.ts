import type { Position } from '../eventStore.ts';
import type { EventLog } from './eventLog.ts';

/** Whether the log could be read from there: only its store knows the form of its positions. Rejects when the store is away. */
export const isPosition = (log: Pick<EventLog, 'readAll'>, text: string): Promise<boolean> =>
  log.readAll({ after: text as Position, limit: 1 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    },
  );
