import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import type { Caller } from '../../../src/domain/credentials/caller.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { createApp } from '../../../src/http/app.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { ReadModels } from '../../../src/projections/readModels.ts';

export const OWNER = '10000000-0000-4000-8000-000000000001';
export const OTHER = '10000000-0000-4000-8000-000000000002';

const CALLERS: Readonly<Record<string, Caller>> = {
  owner: { subject: OWNER, actor: 'owner', roles: ['user'] },
  other: { subject: OTHER, actor: 'other', roles: ['user'] },
  auditor: { subject: OTHER, actor: 'auditor', roles: ['auditor'] },
  gateway: { subject: OTHER, actor: 'gateway', roles: ['gateway'] },
  admin: { subject: OTHER, actor: 'admin', roles: ['admin'] },
};

/** Calls a path as one of the callers above. */
export type Call = (path: string, as?: keyof typeof CALLERS, init?: RequestInit) => Promise<Response>;

/** Serves the routes by the real app on a free port until the test has finished. */
export const served = async (routes: readonly Route[], readModels: ReadModels, clock: Clock): Promise<Call> => {
  const app = createApp({
    routes,
    readModels,
    projections: ['streams', 'groups', 'usage'],
    clock,
    logger: silentLogger,
    authenticate: async ({ headers }) => {
      const caller = CALLERS[String(headers.authorization)];
      if (!caller) throw new Problem('GENERAL_AUTHENTICATION_ERROR', 'Who is calling?');
      return caller;
    },
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return (path, as = 'owner', init = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { ...init.headers, Authorization: as } });
};

/** The JSON body; the test that asks for it says what it must be. */
export const bodyOf = async <Body>(response: Response | Promise<Response>): Promise<Body> => (await (await response).json()) as Body;
