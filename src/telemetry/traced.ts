import type { ObservedRequest, RequestObserver } from '../requestObserver.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { observedLog } from '../stores/log/observedLog.ts';
import type { Span, Tracing } from '../tracing.ts';

/** Records a span for each append, as a child of its request. */
export const tracedLog = (log: EventLog, tracing: Tracing): EventLog => {
  if (!tracing.on) return log;
  return observedLog(log, async ({ eventStream, events, context: { correlationId } }, append) => {
    const category = eventStream.slice(0, eventStream.indexOf('-') >>> 0);
    const types = new Set(events.map(({ type }) => type));
    const attributes = { 'tributary.event_types': [...types].join(','), 'tributary.events': events.length };
    const span = tracing.begin({ name: `append ${category}`, kind: 'client', correlationId, attributes });
    try {
      const appended = await append();
      span.end();
      return appended;
    } catch (error) {
      span.end({ failed: error instanceof Error ? error.name : 'failed' });
      throw error;
    }
  });
};

/** Records a span for each request, as a child of the caller's if it sent `traceparent`. */
export const tracedRequests = (tracing: Tracing): RequestObserver => {
  const spans = new WeakMap<ObservedRequest, Span>();
  return {
    began: (trace, method) => {
      const attributes = { 'http.request.method': method };
      spans.set(
        trace,
        tracing.begin({ name: method, kind: 'server', correlationId: trace.correlationId, parent: trace.parent, attributes }),
      );
    },
    matched: () => {},
    ended: ({ method, route, status, trace }) => {
      spans.get(trace)?.end({
        name: `${method} ${route?.path ?? 'unmatched'}`,
        attributes: {
          ...(route && { 'http.route': route.path }),
          ...(status !== null && { 'http.response.status_code': status }),
          ...(trace.refusal !== null && { 'error.type': trace.refusal }),
        },
        failed: status === null ? 'the client left' : status >= 500 ? (trace.refusal ?? String(status)) : null,
      });
    },
  };
};
