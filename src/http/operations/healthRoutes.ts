import type { IncomingMessage } from 'node:http';
import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { defineRoute, type Route } from '../server/route.ts';

/** Conditions for serving. A reason says what to do, and contains no secret. */
const CHECKS = s.map(s.named('HealthCheck', s.resource({ ok: s.flag, reason: s.nullable(s.text) })));
const SCHEMA = s.named('Health', s.resource({ status: s.oneOf('up', 'ready', 'not ready'), checks: CHECKS }));
export type HealthChecks = Shape<typeof CHECKS>;

/** `ready` is called for every request; a rejection counts as not ready. */
export const healthRoutes = (ready: () => Promise<HealthChecks>): readonly Route[] => [
  defineRoute({
    operationId: 'getLiveness',
    tag: 'Operations',
    method: 'GET',
    path: '/health/live',
    summary: 'Liveness: the process answers.',
    description: 'Does not use the stores.',
    access: 'open',
    responses: { 200: { description: 'It does.', schema: SCHEMA } },
    handle: async () => ({ status: 200, body: { status: 'up', checks: {} } }),
  }),
  defineRoute({
    operationId: 'getReadiness',
    tag: 'Operations',
    method: 'GET',
    path: '/health/ready',
    summary: 'Readiness: whether requests can be served, and if not, why.',
    description: 'For load balancers: 503 while the server should not get requests.',
    access: 'open',
    responses: { 200: { description: 'They can.', schema: SCHEMA }, 503: { description: 'They cannot.', schema: SCHEMA } },
    handle: async () => {
      const checks = await ready().catch(() => CHECK_FAILED);
      const isReady = Object.values(checks).every(({ ok }) => ok);
      if (isReady) return { status: 200, body: { status: 'ready', checks } };
      return { status: 503, body: { status: 'not ready', checks }, headers: { 'Retry-After': '2' } };
    },
  }),
];

const CHECK_FAILED: HealthChecks = { checks: { ok: false, reason: 'The checks themselves failed; see the log.' } };

/** `/metrics` in the Prometheus text format. `host` is the address that the server listens on. */
export const metricsRoute = (read: () => Promise<{ contentType: string; text: string }>, host: string): Route =>
  defineRoute({
    operationId: 'getMetrics',
    tag: 'Operations',
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of this node for Prometheus.',
    description:
      'Names begin with `tributary_`, beside `process_` and `nodejs_`. Without a credential for programs on the same machine, while HOST is a loopback address and no proxy forwards the request. Otherwise for admins and auditors.',
    access: ['admin', 'auditor'],
    openTo: (incoming) => isLoopback(host) && isLocal(incoming),
    reads: [],
    responses: { 200: { description: 'The text format of Prometheus, 0.0.4.', schema: { type: 'string' }, contentType: 'text/plain' } },
    handle: async () => {
      const { contentType, text } = await read();
      return { status: 200, contentType, body: text };
    },
  });

/** Whether the request comes from a program on this machine. A reverse proxy on this machine forwards others' requests, and marks them. */
const isLocal = ({ headers, socket }: IncomingMessage): boolean =>
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined &&
  isLoopback(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '');

/** Whether HOST is an address that only this machine can reach. */
const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/i.test(host);
