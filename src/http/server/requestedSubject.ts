import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { forbidden } from './errors.ts';

/** Whose things a request is about: the caller's, or those of the subject that an admin names. Throws 403 with the refusal. */
export const requestedSubject = (caller: Caller, named: string | undefined, refusal: string): string => {
  if (named === undefined || named === caller.subject || hasRole(caller, 'admin')) return named ?? caller.subject;
  throw forbidden(refusal);
};
