import express, { type Request, type Router } from 'express';
import { unknownPath, wrongMethod } from '../errors/errors.ts';
import type { Method, Route } from '../route/route.ts';
import type { ExpressResponse, Middleware, RouteMiddleware } from './middleware.ts';

const METHODS = { GET: 'get', PUT: 'put', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const satisfies Record<Method, string>;

/** Paths match literally: case and a trailing slash count. */
const newRouter = (): Router => express.Router({ caseSensitive: true, strict: true });

type Sharing = readonly [Route, ...Route[]];

/**
 * One router for each service, mounted under the first segment of its paths. A fixed segment takes precedence over a parameter, whatever the order of the
 * routes. Throws if two routes have the same method and path.
 */
export const serviceRouters = (routes: readonly Route[], steps: readonly RouteMiddleware[]): Router => {
  const root = newRouter();
  const services = new Map<string, Router>();
  for (const sharing of byPath(routes)) {
    const [, prefix, path] = /^(\/[^/{]+)(\/.+)$/.exec(sharing[0].path) ?? [sharing[0].path, null, sharing[0].path];
    const service = prefix ? (services.get(prefix) ?? newRouter()) : root;
    if (prefix && !services.has(prefix)) root.use(prefix, service);
    if (prefix) services.set(prefix, service);
    register(service, path ?? '/', sharing, steps);
  }
  return root;
};

/** Routes that share a path stand together. Express tries paths in this order. */
const byPath = (routes: readonly Route[]): Sharing[] => {
  const found = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const sharing = found.get(rankOf(route.path));
    if (!sharing) found.set(rankOf(route.path), [route]);
    else if (sharing.some(({ method }) => method === route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    else if (sharing[0].path !== route.path) throw new Error(`${route.path} and ${sharing[0].path} name one parameter differently`);
    else sharing.push(route);
  }
  return [...found].sort(([one], [other]) => compareText(one, other)).map(([, sharing]) => sharing);
};

/** Sorts behind a path whose first different segment is fixed. */
const rankOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '\u{10ffff}');

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** GET also answers HEAD, OPTIONS names the methods, and any other method is refused with them. */
const register = (router: Router, path: string, sharing: Sharing, steps: readonly RouteMiddleware[]): void => {
  const place = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  for (const route of sharing) place[METHODS[route.method]](...steps.flatMap((step) => step(route) ?? []));
  const methods = sharing.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  const more = Object.assign({}, ...sharing.map(({ optionsHeaders }) => optionsHeaders));
  place.options((_request: Request, response: ExpressResponse) => answerOptions(response.set(more), allow));
  place.all(() => {
    throw wrongMethod(allow);
  });
};

const ANY = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/** `*` as a target asks about the server (RFC 9110, 9.3.7). Any other path that no router has taken is unknown. */
export const noRoute: Middleware = ({ method }, response) => {
  if (response.locals.trace.path !== '*') throw unknownPath();
  if (method !== 'OPTIONS') throw wrongMethod(ANY);
  answerOptions(response, ANY);
};

const answerOptions = (response: ExpressResponse, allow: string): void => {
  // `cors` has allowed the preflight, but does not know the path.
  if (response.hasHeader('Access-Control-Allow-Methods')) response.setHeader('Access-Control-Allow-Methods', allow);
  response.setHeader('Allow', allow);
  response.status(204).end();
};
