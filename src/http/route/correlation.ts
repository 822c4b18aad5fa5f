import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseTraceparent, type TraceContext } from '../../traceContext.ts';

const CORRELATION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? undefined : value);

/** The id of a request in logs and events: its `X-Correlation-Id`, otherwise the trace of its `traceparent`, otherwise a new UUID. */
export const correlationOfRequest = (headers: IncomingHttpHeaders): { correlationId: string; parent: TraceContext | null } => {
  const parent = parseTraceparent(one(headers.traceparent));
  const given = one(headers['x-correlation-id']);
  if (given !== undefined && CORRELATION_ID.test(given)) return { correlationId: given, parent };
  return { correlationId: parent?.traceId ?? randomUUID(), parent };
};
