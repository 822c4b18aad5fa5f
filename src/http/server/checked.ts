import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import { bodyReader } from '../input/body.ts';
import { queryCheck } from '../input/parameters.ts';
import { checkedParameters } from '../input/target.ts';
import type { Route } from '../route/route.ts';
import type { RouteMiddleware } from './middleware.ts';

/** Pages, health and OpenAI's paths ignore unknown parameters, which their clients may add. An upload takes them as patches. */
const isService = ({ path }: Route): boolean => /^\/[a-z]+(-[a-z]+)*-service\//.test(path);

/** A read, or a change that has parameters: a misspelt `dryRun` must not change anything. */
const isClosed = (route: Route): boolean => isService(route) && (route.method === 'GET' || Object.keys(route.query ?? {}).length > 0);

/** Checks the parameters of the path and the query, and converts them. */
export const checkedInput: RouteMiddleware = (route) => {
  const checkQuery = queryCheck(route.query ?? {}, { isClosed: isClosed(route) });
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
