import type { EventLog, LogAppend, LogAppended } from './eventLog.ts';

/** Calls `append` once and returns or rejects like it. */
export type AppendObserver = (appends: readonly LogAppend[], append: () => Promise<LogAppended[]>) => Promise<LogAppended[]>;

/** The log with a wrapper around every append. */
export const observedLog = (log: EventLog, observe: AppendObserver): EventLog => {
  const appendTogether = log.appendTogether?.bind(log);
  return {
    ...log,
    async append(eventStream, head, events, context) {
      const [appended] = await observe([{ eventStream, head, events, context }], async () => [
        await log.append(eventStream, head, events, context),
      ]);
      if (!appended) throw new Error('an append without an answer');
      return appended;
    },
    ...(appendTogether && { appendTogether: (appends, topics) => observe(appends, () => appendTogether(appends, topics)) }),
  };
};
