import type { Route } from '../server/route.ts';

/** `/metrics` in the text form of Prometheus: open where only this machine can ask, else for admins and auditors. */
export const metricsRoute = (read: () => Promise<{ contentType: string; text: string }>, open: boolean): Route => ({
  operationId: 'getMetrics',
  tag: 'Operations',
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics of this node for Prometheus.',
  description:
    'Names begin with `tributary_`, beside `process_` and `nodejs_`. Without a credential when HOST is a loopback address, else for admins and auditors.',
  access: open ? 'open' : ['admin', 'auditor'],
  reads: [],
  responses: { 200: { description: 'The text format of Prometheus, 0.0.4.', schema: { type: 'string' }, contentType: 'text/plain' } },
  handle: async () => {
    const { contentType, text } = await read();
    return { status: 200, contentType, body: text };
  },
});

/** Whether an address of HOST can be reached from this machine alone. */
export const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/i.test(host);
