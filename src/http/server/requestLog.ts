import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Level, Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { ProblemName } from '../../domain/problem.ts';
import type { ObservedRequest, RequestObserver } from '../../requestObserver.ts';
import { isOpenAiPath } from '../errors/openAiPath.ts';
import { valueSchema } from '../input/parameters.ts';
import { type Target, targetOf } from '../input/target.ts';
import { isUuid } from '../input/uuid.ts';
import { RequestEnd } from '../limits/requestEnd.ts';
import type { RawQuery } from '../query/rawQuery.ts';
import { correlationOfRequest } from '../route/correlation.ts';
import type { QueryParameter, Route } from '../route/route.ts';
import type { ExpressResponse, Middleware } from './middleware.ts';

/** Facts about a request, collected until its answer is complete. */
export interface RequestTrace extends Target, ObservedRequest {
  readonly started: number;
  route: Route | null;
  caller: Caller | null;
  /** The problem that it was answered with, if any. */
  refusal: ProblemName | null;
  /** Whether the problem was an error of the server. */
  failed: boolean;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observers?: readonly RequestObserver[];
}

/** Gives a request its id, and begins to log it. */
export const requestLog = ({ clock, logger, observers = [] }: RequestLogOptions): Middleware => {
  const logged = lineOfRequests(logger, clock);
  return (request, response, next) => {
    const trace = traceOf(request, clock);
    const end = new RequestEnd(response);
    Object.assign(response.locals, { trace, end });
    // Routers see neither the origin of a proxy's target nor a fragment.
    request.url = `${trace.path || '/'}${trace.rawQuery.text === '' ? '' : `?${trace.rawQuery.text}`}`;
    response.setHeader('X-Correlation-Id', trace.correlationId);
    if (isOpenAiPath(trace.path)) response.setHeader('X-Request-Id', trace.correlationId);
    for (const observer of observers) observer.began?.(trace, request.method);
    end.add(() => {
      const { method } = request;
      for (const observer of observers)
        observer.ended({ method, route: trace.route, status: statusOf(response), milliseconds: clock.monotonic() - trace.started, trace });
    });
    logged(request, response, next);
  };
};

/**
 * Writes one line when the answer is complete or its connection gone: `status` is null without an answer. Server errors are logged as errors, 5xx
 * refusals as warnings, everything else as info, but probes of health only for debugging. Headers and bodies are never logged.
 */
const lineOfRequests = (logger: Logger, clock: Clock) => {
  const fields = (_request: Request, response: ExpressResponse): object => fieldsOf(response, clock);
  const message = (): string => 'request';
  return pinoHttp<Request, ExpressResponse>({
    logger,
    // Of the request, `pino-http` adds only the correlation id, to the line and to `request.log`.
    customAttributeKeys: { req: 'correlationId' },
    serializers: { correlationId: ({ id }: Request) => id },
    wrapSerializers: false,
    genReqId: (_request, { locals }) => locals.trace.correlationId,
    customLogLevel: (_request, response) => levelOf(response),
    ...{ customSuccessMessage: message, customErrorMessage: message, customSuccessObject: fields, customErrorObject: fields },
  });
};

const statusOf = (response: ExpressResponse): number | null => (response.headersSent ? response.statusCode : null);

const traceOf = (incoming: IncomingMessage, clock: Clock): RequestTrace => ({
  started: clock.monotonic(),
  ...correlationOfRequest(incoming.headers),
  ...targetOf(incoming.url ?? '/'),
  route: null,
  caller: null,
  refusal: null,
  failed: false,
});

const levelOf = (response: ExpressResponse): Level => {
  const { trace } = response.locals;
  if (trace.failed) return 'error';
  if (trace.path.startsWith('/health/')) return 'debug';
  return (statusOf(response) ?? 0) >= 500 ? 'warn' : 'info';
};

const fieldsOf = (response: ExpressResponse, clock: Clock): object => {
  const { started, path, rawQuery, route, refusal, caller } = response.locals.trace;
  return {
    method: response.req.method,
    path: shownPath(path),
    ...(rawQuery.text === '' ? {} : { query: shownQuery(rawQuery, route?.query ?? {}) }),
    operation: route?.operationId ?? null,
    status: statusOf(response),
    milliseconds: Math.round((clock.monotonic() - started) * 10) / 10,
    ...(refusal === null ? {} : { refusal }),
    finished: response.writableFinished,
    subject: caller?.subject ?? null,
    actor: caller?.actor ?? null,
  };
};

/** Without the token of a shared page, which opens it. */
const shownPath = (path: string): string => path.replace(/^\/s\/[^/]+/, '/s/***').slice(0, 512);

const MAX_SHOWN_VALUE = 256;

/**
 * The query as logged: values of documented parameters that contain no secret and nothing personal (numbers, booleans, enums, and ids, so that an
 * operator can find a stream), the names of other documented ones, and the number of all others. Credentials, patches and webhook URLs are among
 * those.
 */
export const shownQuery = ({ pairs }: RawQuery, parameters: Readonly<Record<string, QueryParameter>>): string => {
  const shown: string[] = [];
  let others = 0;
  for (const { name, raw } of pairs) {
    const parameter = name !== null && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) others += 1;
    else shown.push(`${name}=${shownValue(raw, parameter)}`);
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
