import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import { clientAddress, type ProxyTrust } from '../limits/clientAddress.ts';
import type { ConnectionLimit } from '../limits/connectionLimit.ts';
import type { MemoryBudget } from '../limits/memoryBudget.ts';
import { type Place, RequestPlaces } from '../limits/requestPlaces.ts';
import { UserRate } from '../limits/userRate.ts';
import type { Middleware, RouteMiddleware } from './middleware.ts';

/** Refuses further requests of an address that has too many open ones behind a trusted proxy. */
export const limitedForwarding =
  (connections: Pick<ConnectionLimit, 'requested'> | undefined): Middleware =>
  (request, { locals }, next) => {
    connections?.requested(request, locals.end);
    next();
  };

/** Refuses the requests of a user who sends too many in a second. */
export const limitedRate = (limits: Limits): RouteMiddleware => {
  if (limits.userRequestsPerSecond === 0) return () => null;
  const rate = new UserRate(limits);
  return () => async (_request, response, next) => {
    const { caller } = response.locals.trace;
    if (caller) await rate.count(caller.subject);
    next();
  };
};

/** Counts the memory of a caller's request until it has been answered. */
export const limitedMemory =
  (budget: MemoryBudget): RouteMiddleware =>
  () =>
  (_request, { locals }, next) => {
    locals.memory = budget.open(locals.trace.caller?.subject ?? '');
    locals.end.add(locals.memory.release);
    next();
  };

/** Waits for a place among the requests that are worked on. A request that waits for its body holds none. */
export const limitedPlaces = (limits: Limits, clock: Clock, trusts: ProxyTrust): RouteMiddleware => {
  const places = new RequestPlaces(limits, clock);
  return (route) =>
    async (request, { locals }, next) => {
      const { trace, end } = locals;
      if (trace.caller) locals.place = await places.ofUser(trace.caller.subject, end);
      else locals.place = route.unlimited ? NO_PLACE : await places.ofAddress(clientAddress(request, trusts), end);
      next();
    };
};

const NO_PLACE: Place = { leave: () => {}, outside: (wait) => wait() };
