import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { ProblemName } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import type { TraceContext } from '../../traceContext.ts';
import { isOpenAiPath } from '../errors/openAiPath.ts';
import { decode, valueSchema } from '../input/parameters.ts';
import { targetOf } from '../input/target.ts';
import { isUuid } from '../input/uuid.ts';
import { RequestEnd } from '../limits/requestEnd.ts';
import { correlationOfRequest } from '../route/correlation.ts';
import type { QueryParameter, Route } from '../route/route.ts';
import type { Middleware } from './middleware.ts';

/** Facts about a request, collected until its answer is complete. */
export interface RequestTrace {
  readonly started: number;
  readonly correlationId: string;
  /** The caller's span, if it sent one. */
  readonly parent: TraceContext | null;
  readonly path: string;
  readonly rawQuery: string;
  route: Route | null;
  caller: Caller | null;
  /** The problem that it was answered with, if any. */
  refusal: ProblemName | null;
  /** Whether the problem was an error of the server. */
  failed: boolean;
}

/** Counts or traces requests. Each function is called once and must be quick and never throw. */
export interface RequestObserver {
  began?(trace: RequestTrace, method: string): void;
  /** The route is known, and its handler is about to run. */
  matched(route: Route): void;
  /** The answer is complete or its connection gone: `status` is null without an answer, `route` for an unknown path. */
  ended(seen: { method: string; route: Route | null; status: number | null; milliseconds: number; trace: RequestTrace }): void;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observers?: readonly RequestObserver[];
}

/**
 * Gives a request its id, and writes one line when the answer is complete or its connection gone: `status` is null without an answer. Server errors are
 * logged as errors, 5xx refusals as warnings, everything else as info, but probes of health only for debugging. Headers and bodies are never logged.
 */
export const requestLog = (options: RequestLogOptions): Middleware => {
  const { clock, observers = [] } = options;
  return (request, response, next) => {
    const trace = traceOf(request, clock);
    const end = new RequestEnd(response);
    Object.assign(response.locals, { trace, end });
    // Routers see neither the origin of a proxy's target nor a fragment.
    request.url = `${trace.path || '/'}${trace.rawQuery === '' ? '' : `?${trace.rawQuery}`}`;
    response.setHeader('X-Correlation-Id', trace.correlationId);
    if (isOpenAiPath(trace.path)) response.setHeader('X-Request-Id', trace.correlationId);
    for (const observer of observers) observer.began?.(trace, request.method);
    end.add(() => logEnd(options, trace, request.method, response));
    next();
  };
};

const traceOf = (incoming: IncomingMessage, clock: Clock): RequestTrace => ({
  started: clock.monotonic(),
  ...correlationOfRequest(incoming.headers),
  ...targetOf(incoming.url ?? '/'),
  route: null,
  caller: null,
  refusal: null,
  failed: false,
});

const logEnd = (
  { logger, clock, observers = [] }: RequestLogOptions,
  trace: RequestTrace,
  method: string,
  outgoing: ServerResponse,
): void => {
  const status = outgoing.headersSent ? outgoing.statusCode : null;
  const milliseconds = clock.monotonic() - trace.started;
  for (const observer of observers) observer.ended({ method, route: trace.route, status, milliseconds, trace });
  const fields = {
    method,
    path: shownPath(trace.path),
    ...(trace.rawQuery === '' ? {} : { query: shownQuery(trace.rawQuery, trace.route?.query ?? {}) }),
    operation: trace.route?.operationId ?? null,
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    ...(trace.refusal === null ? {} : { refusal: trace.refusal }),
    finished: outgoing.writableFinished,
    correlationId: trace.correlationId,
    subject: trace.caller?.subject ?? null,
    actor: trace.caller?.actor ?? null,
  };
  if (trace.failed) logger.error(fields, 'request');
  else if (trace.path.startsWith('/health/')) logger.debug(fields, 'request');
  else if (status !== null && status >= 500) logger.warn(fields, 'request');
  else logger.info(fields, 'request');
};

/** Without the token of a shared page, which opens it. */
const shownPath = (path: string): string => path.replace(/^\/s\/[^/]+/, '/s/***').slice(0, 512);

const MAX_SHOWN_VALUE = 256;

/**
 * The query as logged: values of documented parameters that contain no secret and nothing personal (numbers, booleans, enums, and ids, so that an
 * operator can find a stream), the names of other documented ones, and the number of all others. Credentials, patches and webhook URLs are among
 * those.
 */
export const shownQuery = (rawQuery: string, parameters: Readonly<Record<string, QueryParameter>>): string => {
  const shown: string[] = [];
  let others = 0;
  for (const pair of rawQuery.split('&')) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = decode(rawName);
    const parameter = name !== null && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) others += 1;
    else shown.push(`${name}=${shownValue(rest.join('='), parameter)}`);
  }
  return [...shown, ...(others > 0 ? [`(${others} more)`] : [])].join('&');
};

const HARMLESS_TYPES: readonly unknown[] = ['integer', 'number', 'boolean'];

const shownValue = (value: string, parameter: QueryParameter): string =>
  isHarmless(parameter) || isIds(value) ? value.slice(0, MAX_SHOWN_VALUE) : '[redacted]';

/** One or several ids: of streams and groups (UUIDs), or of built-in templates (24 hex digits). */
const isIds = (value: string): boolean => value.split(/,|%2C/i).every((part) => isUuid(part) || /^[0-9a-f]{24}$/.test(part));

const isHarmless = (parameter: QueryParameter): boolean => {
  const schema = valueSchema(parameter);
  const { type, enum: values } = (schema.type === 'array' ? schema.items : schema) as QueryParameter['schema'];
  return HARMLESS_TYPES.includes(type) || Array.isArray(values);
};
