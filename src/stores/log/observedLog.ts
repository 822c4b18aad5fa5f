import type { EventLog, LogAppend, LogAppended } from './eventLog.ts';

/** Calls `run` once and returns or rejects like it. */
export type AppendObserver = (append: LogAppend, run: () => Promise<LogAppended>) => Promise<LogAppended>;

/** The log with a wrapper around every append. */
export const observedLog = (log: EventLog, observe: AppendObserver): EventLog => ({
  ...log,
  append: (eventStream, head, events, context, topic) =>
    observe({ eventStream, events, context }, () => log.append(eventStream, head, events, context, topic)),
});
