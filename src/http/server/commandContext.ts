import type { Caller } from '../../domain/credentials/caller.ts';
import type { AppendContext } from '../../stores/log/eventLog.ts';

/** The context of a command that a caller gives. `subject`: owner of what it writes, the caller unless another is named. */
export const commandContext = (
  { caller, correlationId }: { readonly caller: Caller; readonly correlationId: string },
  subject = caller.subject,
): AppendContext => ({
  subject,
  actor: caller.actor,
  ...(subject !== caller.subject && { aboutOther: true }),
  correlationId,
  causationId: correlationId,
});
