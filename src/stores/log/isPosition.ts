import type { Position } from '../eventStore.ts';
import type { EventLog } from './eventLog.ts';

/** Whether the log can be read from the position: only its store knows the form. Rejects if the store is away. */
export const isPosition = (log: Pick<EventLog, 'readAll'>, text: string): Promise<boolean> =>
  log.readAll({ after: text as Position, limit: 1 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    },
  );
