import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { ProblemName } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import type { TraceContext } from '../../traceContext.ts';
import { decode, valueSchema } from '../input/parameters.ts';
import { isUuid } from '../input/uuid.ts';
import type { RequestEnd } from '../limits/requestEnd.ts';
import type { QueryParameter, Route } from './route.ts';

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

/**
 * Writes one line when the answer is complete or its connection gone: `status` is null without an answer. Server errors are logged as errors, 5xx
 * refusals as warnings, everything else as info, but probes of health only for debugging. Headers and bodies are never logged.
 */
export const logRequest = (
  logger: Logger,
  clock: Clock,
  trace: RequestTrace,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  end: RequestEnd,
  observers: readonly RequestObserver[],
): void => {
  const method = incoming.method ?? '';
  for (const observer of observers) observer.began?.(trace, method);
  end.add(() => {
    const status = outgoing.headersSent ? outgoing.statusCode : null;
    const milliseconds = clock.monotonic() - trace.started;
    for (const observer of observers) observer.ended({ method, route: trace.route, status, milliseconds, trace });
    const fields = {
      method,
      path: trace.path.slice(0, 512),
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
  });
};

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
