import { withNewestDeclarations } from '../../commands/newestDeclarations.ts';
import { Problem } from '../../domain/problem.ts';
import type { StreamConfigurationTemplate } from '../../domain/templates/template.ts';
import { missingEngines, type ProcessorsById } from '../../processors/availability.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';

export type Runnable = { readonly ok: true; readonly reason: null } | { readonly ok: false; readonly reason: string };

export interface RunnableDeps {
  readonly log: EventLog;
  readonly processors: ProcessorsById;
}

/** Whether this server could run an upload to the template now; otherwise the error of such an upload. */
export const runnableOf = async (
  { log, processors }: RunnableDeps,
  subject: string,
  template: StreamConfigurationTemplate,
): Promise<Runnable> => {
  try {
    const { template: newest } = await withNewestDeclarations(log, subject, template);
    const reason = await missingEngines(processors, newest.processors);
    return reason === null ? { ok: true, reason } : { ok: false, reason };
  } catch (error) {
    // One of the user's own processors was deleted or its newest version does not fit, or no engine can do what the properties ask for.
    if (error instanceof Problem && /^(GENERAL_CONFLICT|PROCESSOR_)/.test(error.internalErrorName))
      return { ok: false, reason: error.message };
    throw error;
  }
};
