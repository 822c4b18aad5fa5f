import type { EventLog, LogAppend, LogAppended } from './eventLog.ts';

/** Calls `append` once, does what it does around it, and answers or rejects as it does. */
export type AppendObserver = (appends: readonly LogAppend[], append: () => Promise<LogAppended[]>) => Promise<LogAppended[]>;

/** The log with something done around every append, to one event stream or to several. */
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
