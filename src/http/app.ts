import express from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import type { RequestObserver } from '../requestObserver.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Waiting } from './answers/consistency.ts';
import { type LoneLog, OwnWrites } from './answers/ownWrites.ts';
import type { ProxyTrust } from './limits/clientAddress.ts';
import type { ConnectionLimit } from './limits/connectionLimit.ts';
import { MemoryBudget } from './limits/memoryBudget.ts';
import type { AdmitCommand } from './route/admission.ts';
import type { Route } from './route/route.ts';
import { type AuthenticatedOptions, authenticated, authorized } from './server/authenticated.ts';
import { checkedBody, checkedInput } from './server/checked.ts';
import { crossOrigin } from './server/crossOrigin.ts';
import { errorAnswers } from './server/errorAnswers.ts';
import { handled } from './server/handled.ts';
import type { RouteMiddleware } from './server/middleware.ts';
import { limitedForwarding, limitedMemory, limitedPlaces, limitedRate } from './server/requestLimits.ts';
import { requestLog } from './server/requestLog.ts';
import { noRoute, serviceRouters } from './server/routers.ts';
import { type App, RunningRequests } from './server/runningRequests.ts';
import { securityHeaders } from './server/securityHeaders.ts';

export interface AppOptions extends AuthenticatedOptions {
  readonly routes: readonly Route[];
  readonly readModels: Waiting;
  /** Names of all read models, for which `Tributary-After` waits on a route that does not name its own. */
  readonly projections: readonly string[];
  /** Reads the log's head, if other nodes serve callers too. */
  readonly head?: (() => Promise<Position | null>) | undefined;
  /** The log of a single node. */
  readonly lone?: LoneLog | undefined;
  /** Called before every command of a caller. Default: all are accepted. */
  readonly admit?: AdmitCommand;
  /** Default: the limits without any setting. */
  readonly limits?: Limits;
  /** Shared with the WebSockets of the server. Default: one of its own. */
  readonly memory?: MemoryBudget;
  /** Limits the open requests of one address behind a trusted proxy. Default: they are not limited. */
  readonly connections?: Pick<ConnectionLimit, 'requested'>;
  /** Proxies whose `X-Forwarded-For` names the client. Default: none. */
  readonly trusts?: ProxyTrust;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observers?: readonly RequestObserver[];
  /** Whether callers reach the server by https. */
  readonly https?: boolean;
  /** Origins whose pages may use the interface; `*` allows every origin. */
  readonly corsOrigins?: readonly string[];
}

/** The middleware of the server, in its order: of every request, then of the route that it has found. */
export const createApp = (options: AppOptions): App => {
  const { routes, clock, limits = DEFAULT_LIMITS, memory = new MemoryBudget(limits), observers = [], trusts = trustsNone } = options;
  const running = new RunningRequests();
  const app = express();
  app.disable('x-powered-by');
  app.use(requestLog(options));
  app.use(securityHeaders(options.https ?? false));
  app.use(crossOrigin(options.corsOrigins ?? []));
  app.use(limitedForwarding(options.connections));
  app.use(
    serviceRouters(routes, [
      matched(running, observers),
      authenticated(options),
      limitedRate(limits),
      authorized(options.admit),
      checkedInput,
      limitedMemory(memory),
      checkedBody(limits, clock),
      limitedPlaces(limits, clock, trusts),
      // Compresses large texts too: as middleware, `compression` makes a small answer a third dearer (35 µs).
      handled({ ...options, limits, ownWrites: new OwnWrites(options) }),
    ]),
  );
  app.use(noRoute);
  app.use(errorAnswers(options));
  return Object.assign(app, { settled: () => running.settled() });
};

const trustsNone: ProxyTrust = () => false;

/** The route is known from here on. */
const matched =
  (running: RunningRequests, observers: readonly RequestObserver[]): RouteMiddleware =>
  (route) =>
  (_request, { locals }, next) => {
    locals.ended = running.begin();
    locals.trace.route = route;
    for (const observer of observers) observer.matched(route);
    next();
  };
