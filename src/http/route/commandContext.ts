import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import type { AppendContext } from '../../stores/log/eventLog.ts';
import { forbidden } from '../errors/errors.ts';

/** The context of a command that a caller gives. `subject`: owner of what it writes, the caller unless another is named. */
export const commandContext = (
  { caller, correlationId }: { readonly caller: Caller; readonly correlationId: string },
  subject = caller.subject,
): AppendContext => ({
  subject,
  actor: caller.actor,
  correlationId,
  causationId: correlationId,
});

/** Whose things a request is about: the caller's, or those of the subject that an admin names. Throws 403 with the refusal. */
export const requestedSubject = (caller: Caller, named: string | undefined, refusal: string): string => {
  if (named === undefined || named === caller.subject || hasRole(caller, 'admin')) return named ?? caller.subject;
  throw forbidden(refusal);
};
