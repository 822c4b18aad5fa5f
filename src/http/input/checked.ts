import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import type { RouteMiddleware } from '../server/middleware.ts';
import { checkedParameters } from '../server/target.ts';
import { bodyReader } from './body.ts';
import { queryCheck } from './parameters.ts';

/** Checks the parameters of the path and the query, and converts them. */
export const checkedInput: RouteMiddleware = (route) => {
  const checkQuery = queryCheck(route.query ?? {});
  return ({ params }, { locals }, next) => {
    locals.params = checkedParameters(params);
    route.checkPath?.(locals.params);
    locals.query = checkQuery(locals.trace.rawQuery);
    next();
  };
};

/** Reads and checks the body, unless the route reads it itself. */
export const checkedBody =
  (limits: Limits, clock: Clock): RouteMiddleware =>
  (route) => {
    const readBody = bodyReader(route.body, limits, clock);
    if (!readBody) return null;
    return async (request, { locals }, next) => {
      locals.body = await readBody(request, locals.memory);
      next();
    };
  };
