import type { IncomingMessage } from 'node:http';
import { defineRoute, type Route } from '../route/route.ts';

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
