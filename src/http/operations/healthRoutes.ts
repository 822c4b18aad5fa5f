import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { defineRoute, type Route } from '../route/route.ts';

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
    unlimited: true,
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
    unlimited: true,
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
