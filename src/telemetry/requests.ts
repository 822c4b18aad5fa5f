import type { RequestObserver } from '../requestObserver.ts';
import { type Metrics, SECONDS } from './metrics.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const LABELS = ['route', 'method'];

/** Requests by route pattern, never by path, so callers cannot create new series. `sessions`: open sessions of the gateways, if there are any. */
export const requestMetrics = (metrics: Metrics, sessions: (() => number) | null): RequestObserver => {
  const total = metrics.counter({
    name: 'http_requests',
    help: 'HTTP requests answered, by route pattern and class of status.',
    labels: [...LABELS, 'status'],
  });
  const seconds = metrics.histogram(
    { name: 'http_request_duration_seconds', help: 'From the head of a request to the end of its answer.', labels: LABELS },
    SECONDS,
  );
  let inFlight = 0;
  let uploads = 0;
  metrics.gauge({ name: 'http_requests_in_flight', help: 'HTTP requests being handled.' }, () => inFlight);
  if (sessions) gatewayGauges(metrics, sessions, () => uploads);
  return {
    matched: ({ path }) => {
      inFlight += 1;
      if (path === UPLOAD) uploads += 1;
    },
    ended: ({ method, route, status, milliseconds }) => {
      if (route) inFlight -= 1;
      if (route?.path === UPLOAD) uploads -= 1;
      const of = [route?.path ?? 'unmatched', METHODS.has(method) ? method : 'other'];
      total.add([...of, status === null ? 'none' : `${Math.floor(status / 100)}xx`]);
      seconds.observe({ route: of[0] ?? '', method: of[1] ?? '' }, milliseconds / 1_000);
    },
  };
};

const UPLOAD = '/http-gateway/api/v1/upload';

const gatewayGauges = (metrics: Metrics, sessions: () => number, uploads: () => number): void => {
  metrics.gauge({ name: 'uploads_open', help: 'Uploads being taken, by gateway.', labels: ['gateway'] }, () => [
    [['http'], uploads()],
    [['websocket'], sessions()],
  ]);
  metrics.gauge({ name: 'websocket_sessions', help: 'Sessions of the live WebSocket gateway.' }, () => sessions());
};
