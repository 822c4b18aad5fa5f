import type { Position } from '../eventStore.ts';
import type { EventLog } from './eventLog.ts';
import { observedLog } from './observedLog.ts';

/** Receives the position of each append of this process, and the user whom its events are about. */
export type AppendListener = (subject: string, position: Position) => void;

/** The log, with its appends announced to the listeners before their callers continue. */
export const announcedLog = (log: EventLog, listeners: ReadonlySet<AppendListener>): EventLog =>
  observedLog(log, async ({ context }, append) => {
    const appended = await append();
    if (appended.position !== null) for (const listener of listeners) listener(context.subject, appended.position);
    return appended;
  });
