import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Caller } from '../../../src/domain/credentials/caller.ts';
import { type AppOptions, createApp } from '../../../src/http/app.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { type HttpServer, type ListenOptions, listen } from '../../../src/http/server/server.ts';
import { silentLogger } from '../../../src/logger.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';

export const CALLER: Caller = { subject: '6b3f9b1e-0000-4000-8000-000000000001', actor: 'credential', roles: ['user'] };

/** A real server on a free port over these routes; gone when the test has finished. */
export const serve = async (
  routes: readonly Route[],
  options: Partial<AppOptions> = {},
  listening: Partial<ListenOptions> = {},
): Promise<HttpServer> => {
  const logger = options.logger ?? silentLogger;
  const clock = options.clock ?? systemClock;
  const app = createApp({
    routes,
    authenticate: async () => CALLER,
    readModels: new MemoryReadModels(),
    projections: ['streams'],
    clock,
    logger,
    ...options,
  });
  const server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    logger,
    ...(options.limits ? { limits: options.limits } : {}),
    ...listening,
  });
  onTestFinished(() => server.drain(0));
  return server;
};

/** A route with what a test does not care about filled in. */
export const route = (given: Partial<Route> & Pick<Route, 'handle'>): Route => ({
  operationId: `${given.method ?? 'GET'} ${given.path ?? '/thing'}`,
  tag: 'test',
  method: 'GET',
  path: '/thing',
  summary: 'A test.',
  description: 'Nothing more.',
  access: 'open',
  responses: {},
  ...given,
});

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
  body: any;
}

/** One request whose target is sent exactly as given: `fetch` would tidy it. */
export const ask = (
  { port }: { port: number },
  method: string,
  target: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, method, path: target, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = incoming.headers['content-type'] === 'application/json';
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: isJson && text ? JSON.parse(text) : undefined });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** Sends bytes as they are and answers all that comes back until the server closes. */
export const raw = ({ port }: { port: number }, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
