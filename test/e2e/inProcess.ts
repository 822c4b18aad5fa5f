import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { ensureBootstrap } from '../../src/commands/credentials.ts';
import { readConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { apiDocumentRoutes } from '../../src/http/docs/apiDocuments.ts';
import { healthRoutes } from '../../src/http/operations/healthRoutes.ts';
import type { Route } from '../../src/http/route/route.ts';
import { listen } from '../../src/http/server/server.ts';
import { openAuthentication } from '../../src/http/signIn/openAuthentication.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { silentLogger } from '../../src/logger.ts';
import { openPlatform, type Platform } from '../../src/platform.ts';
import { allProjections } from '../../src/projections/all.ts';
import { isClusterForm, startBackends } from './clusterForm.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET } from './server.ts';

export interface InProcess {
  readonly url: string;
  readonly port: number;
  readonly platform: Platform;
  /** Ends it and deletes its data. Automatic if it was started inside a test. */
  stop(): Promise<void>;
}

/** Authentication, health and `extra` routes over real HTTP in this process, on the real stores of the tested form. */
export const startInProcess = async (extra: (platform: Platform) => readonly Route[] = () => []): Promise<InProcess> => {
  const logger = silentLogger;
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-e2e-'));
  const backends = isClusterForm ? await startBackends() : null;
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir, ...backends?.environment }), { clock: systemClock, logger });
  const { engine, log, readModels } = platform;
  const running = new AbortController();
  await engine.start(running.signal);
  await engine.whenReady();
  const context = { subject: '', actor: 'test', correlationId: 'test', causationId: 'test' };
  const bootstrap = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, apiKey: ADMIN_KEY };
  const { position } = await ensureBootstrap({ log }, bootstrap, context);
  if (position) await readModels.waitFor(['credentials'], position);
  let url = '';
  const publicUrl = () => url;
  const { authentication, routes } = openAuthentication(platform, {
    realm: 'tributary',
    publicUrl,
    trustProxy: false,
    outside: null,
    identityProvider: null,
    limits: DEFAULT_LIMITS,
  });
  const all = [...routes, ...healthRoutes(async () => ({ views: { ok: engine.ready(), reason: null } })), ...extra(platform)];
  const app = createApp({
    routes: [...all, ...apiDocumentRoutes(all, { version: '0.1.0', publicUrl })],
    authenticate: authentication.authenticate,
    readModels,
    projections: allProjections.map(({ name }) => name),
    clock: systemClock,
    logger,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, clock: systemClock, logger });
  url = server.url;
  const stop = async (): Promise<void> => {
    await server.drain(0);
    running.abort();
    await engine.finished();
    await platform.close();
    await backends?.eventStore.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    onTestFinished(stop);
  } catch {
    // Started in a `beforeAll`: its suite stops it.
  }
  return { url, port: server.port, platform, stop };
};
