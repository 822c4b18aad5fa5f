import type { IncomingMessage } from 'node:http';
import { hasRole } from '../../domain/credentials/caller.ts';
import type { Authenticate } from '../auth/authentication.ts';
import type { OpenAccess } from '../auth/openAccess.ts';
import { forbidden, problemOf, unforeseen } from '../errors/errors.ts';
import { type AdmitCommand, isCommand } from '../route/admission.ts';
import type { Route } from '../route/route.ts';
import type { RouteMiddleware } from './middleware.ts';

export interface AuthenticatedOptions {
  readonly authenticate: Authenticate;
  /** Ends what is open after its credential was revoked. */
  readonly access?: Pick<OpenAccess, 'enter'>;
}

/** Finds out who the caller is. An open route has none, unless it `identifies` callers and a credential was presented. */
export const authenticated =
  ({ authenticate, access }: AuthenticatedOptions): RouteMiddleware =>
  (route) => {
    if (route.access === 'open' && !route.identifies) return null;
    return async (request, response, next) => {
      const { trace, end } = response.locals;
      if (needsCredential(route, request)) {
        trace.caller = await authenticate(request, trace);
        if (access && !end.isOver) end.add(access.enter(trace.caller, () => void response.destroy()));
      } else if (route.identifies) trace.caller = await authenticate(request, trace).catch(noCallerIfWrong);
      next();
    };
  };

/** Refuses a caller without a role that the route needs, and commands that are not accepted now. */
export const authorized =
  (admit: AdmitCommand | undefined): RouteMiddleware =>
  (route) =>
  (request, response, next) => {
    const { caller } = response.locals.trace;
    if (caller && needsCredential(route, request)) {
      if (Array.isArray(route.access) && !hasRole(caller, ...route.access))
        throw forbidden(`This operation needs one of the roles ${route.access.join(', ')}.`);
      if (isCommand(route)) admit?.(caller);
    }
    next();
  };

const needsCredential = ({ access, openTo }: Route, incoming: IncomingMessage): boolean => access !== 'open' && !openTo?.(incoming);

/** An open route also serves callers without a credential, and with a wrong or expired one. */
const noCallerIfWrong = (error: unknown): null => {
  const { statusCode } = problemOf(error) ?? unforeseen();
  if (statusCode === 401 || statusCode === 429) return null;
  throw error;
};
