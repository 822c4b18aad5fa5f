import type { NextFunction, Request, Response } from 'express';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import type { RequestEnd } from '../limits/requestEnd.ts';
import type { Place } from '../limits/requestPlaces.ts';
import type { ApiRequest, Route } from '../route/route.ts';
import type { RequestTrace } from './requestLog.ts';

/** Results of earlier middleware for later middleware, in `response.locals`. */
export interface Locals {
  trace: RequestTrace;
  end: RequestEnd;
  params: Readonly<Record<string, string>>;
  query: ApiRequest['query'];
  body: unknown;
  memory: HeldMemory;
  place: Place;
  /** Call it when the request of a route has ended. */
  ended?: () => void;
}

export type ExpressResponse = Response<unknown, Locals>;

export type Middleware = (request: Request, response: ExpressResponse, next: NextFunction) => void | Promise<void>;

/** Middleware that is prepared for each route; `null` if the route does not need it. */
export type RouteMiddleware = (route: Route) => Middleware | null;
