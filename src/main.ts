import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Api, openApi } from './api.ts';
import { type Background, startBackground } from './background.ts';
import { type RunOperation, serveControlSocket } from './cli/controlSocket.ts';
import { runOperation } from './cli/operations.ts';
import { ensureBootstrap, type IssuedCredential } from './commands/credentials.ts';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { serveUpgrades } from './http/gateway/webSocket/upgrades.ts';
import { proxyTrust } from './http/limits/clientAddress.ts';
import { ConnectionLimit } from './http/limits/connectionLimit.ts';
import type { HealthChecks } from './http/operations/healthRoutes.ts';
import { checkAddress, type HttpServer, listen } from './http/server/server.ts';
import { openPlatform, type Platform, type PlatformDeps } from './platform.ts';
import { openProcessors, type ProcessorSettings, type Processors } from './processors/registry.ts';
import { DECODER } from './processors/transcriber/engineChoice.ts';
import { allProjections } from './projections/all.ts';
import { BadSetting } from './setting.ts';
import { installedModels } from './speech/models/installedModels.ts';
import { openSpeechWorkers } from './speech/openSpeechWorkers.ts';
import type { SpeechWorkers } from './speech/workers/workers.ts';
import { ClosingOrder } from './stores/closingOrder.ts';
import { sealFault } from './stores/integrity/sealEvidence.ts';
import { checkStores } from './stores/storeChecks.ts';
import { openTracing, type TracingSettings } from './telemetry/openTracing.ts';
import { measuredProcessors } from './telemetry/processorRuns.ts';
import { requestMetrics } from './telemetry/requests.ts';
import { tracedRequests } from './telemetry/traced.ts';
import { userAgentOf } from './userAgent.ts';
import { VERSION } from './version.ts';

/** A server that answers `/health/*` at least. */
export interface RunningPlatform {
  readonly url: string;
  /** Resolves when all services are up to date; rejects if the server is stopped before. */
  ready(): Promise<void>;
  /** Runs an operation of the command line, as its control socket does. */
  readonly operate: RunOperation;
  /**
   * Accepts no new connections and reports that it is not ready, gives running uploads ten seconds, then closes everything. With `linger`, it first
   * serves what arrives on open connections: a proxy may be sending there.
   */
  stop(options?: { readonly linger?: boolean }): Promise<void>;
}

export interface StartDeps extends PlatformDeps {
  readonly logger: Logger;
  /**
   * Called with the credentials of the very first start as soon as they exist: a later failure does not create them again. Without it, the
   * platform is a temporary one, and leaves them to a later start.
   */
  readonly onCredentialsMade?: (made: readonly IssuedCredential[]) => void;
}

const DRAIN_MILLISECONDS = 10_000;
/** Longer than the proxy of `deploy/nginx.conf` keeps an idle connection. */
const LINGER_MILLISECONDS = 2_000;

/** Opens the stores, starts the roles and serves. Rejects with a sentence for the operator, after stopping everything. */
export const startPlatform = async (config: Config, deps: StartDeps): Promise<RunningPlatform> => {
  const closing = new ClosingOrder();
  try {
    // Before credentials are created and shown: a server that cannot listen must not use up their only display.
    await checkAddress(config).catch((error: unknown) => {
      throw notListening(error, config);
    });
    const tracing = await openTracing(tracingSettings(config), deps);
    closing.add(() => tracing.close());
    const platform = await openPlatform(config, { ...deps, tracing });
    closing.add(() => platform.close());
    return await serve(platform, deps, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
};

const tracingSettings = (config: Config): TracingSettings => ({
  endpoint: config.otlpEndpoint,
  headers: config.otlpHeaders,
  serviceName: config.otelServiceName,
  version: VERSION,
  userAgent: userAgentOf(config),
});

/** The engines over HTTP if their addresses are set, otherwise the offline ones. */
const processorSettings = ({ config, clock, schemas, declared }: Platform, workers: SpeechWorkers): ProcessorSettings => {
  const { transcriberUrl, transcriberApiKey, transcriberModel, llmUrl, engineTimeoutMs: timeoutMilliseconds } = config;
  const userAgent = userAgentOf(config);
  return {
    clock,
    schemas,
    declared,
    mediaLimits: { maxSeconds: config.mediaMaxSeconds },
    localSpeech: {
      workers,
      sources: { installed: () => installedModels(config.modelsDir), whisperModel: config.whisperModel, decoder: DECODER },
    },
    speechServer:
      transcriberUrl === null
        ? null
        : { url: transcriberUrl, apiKey: transcriberApiKey, model: transcriberModel, timeoutMilliseconds, userAgent },
    languageModel:
      llmUrl === null
        ? null
        : {
            url: llmUrl,
            apiKey: config.llmApiKey,
            model: config.llmModel,
            enhancedModel: config.llmEnhancedModel,
            maxCharacters: config.llmMaxCharacters,
            timeoutMilliseconds,
            userAgent,
          },
  };
};

const processorsOf = (platform: Platform, workers: SpeechWorkers): Processors => {
  const { config, metrics, clock } = platform;
  const opened = openProcessors(processorSettings(platform, workers));
  return config.roles.includes('processors') ? measuredProcessors(opened, metrics, clock) : opened;
};

/** Started parts are added to `closing`. */
const serve = async (platform: Platform, { onCredentialsMade, logger }: StartDeps, closing: ClosingOrder): Promise<RunningPlatform> => {
  const { config, readModels } = platform;
  const workers = openSpeechWorkers(config, platform.clock);
  closing.add(async () => workers.close());
  const processors = processorsOf(platform, workers);
  let listeningAt = '';
  const publicUrl = () => config.publicUrl ?? listeningAt;
  let background: Background | null = null;
  let stopping = false;
  let lingerMilliseconds = 0;
  const api: Api = openApi({
    platform,
    processors,
    publicUrl,
    ready: async () => (stopping ? STOPPING : readiness(platform)),
    queues: () => background?.queues() ?? NO_QUEUES,
  });
  const serves = config.roles.includes('http');
  const bootstrap = serves && onCredentialsMade ? await bootstrapped(platform) : NO_BOOTSTRAP;
  if (bootstrap.made.length > 0) onCredentialsMade?.(bootstrap.made);
  warnOfOpenRanges(platform);
  warnOfWebhookProxy(platform);
  warnOfTrustedProxies(platform);
  const started = await startBackground(platform, processors);
  background = started;
  closing.add(() => started.stop());
  // Before any waiting: a read model that cannot be built is repaired from the command line.
  const operate: RunOperation = (operation, input, say) =>
    runOperation(platform, operation, input, say, {
      publicUrl: publicUrl(),
      localUrl: listeningAt,
      isTemporary: onCredentialsMade === undefined,
    });
  const control = platform.exclusive ? await openControl(platform, operate) : null;
  if (control) closing.add(() => control.close());
  const http = await openHttpServer(platform, api, logger);
  listeningAt = http.url;
  closing.add(async () => void (await Promise.all([http, api.gateway, api.realtime].map((one) => one.drain(DRAIN_MILLISECONDS)))));
  closing.add(() => http.leave(lingerMilliseconds));
  return {
    url: listeningAt,
    operate,
    ready: async () => {
      if (serves) await started.ready();
      if (bootstrap.position !== null) await readModels.waitFor(['credentials'], bootstrap.position);
      logger.info({ url: listeningAt, roles: config.roles, dataDir: config.dataDir }, 'ready');
    },
    stop: ({ linger = false } = {}) => {
      stopping = true;
      lingerMilliseconds = linger && serves ? LINGER_MILLISECONDS : 0;
      return closing.run();
    },
  };
};

/** Without the role http it answers only health checks and metrics. */
const openHttpServer = async (platform: Platform, api: Api, logger: Logger): Promise<HttpServer> => {
  const { appendListeners, config, limits, clock, log, readModels, metrics, tracing } = platform;
  const trusts = proxyTrust(config.trustProxy);
  const serves = config.roles.includes('http');
  const observers = [
    requestMetrics(metrics, serves ? () => api.gateway.count + api.realtime.count : null),
    ...(tracing.on ? [tracedRequests(tracing)] : []),
  ];
  const connections = new ConnectionLimit(config.maxConnectionsPerAddress, trusts);
  const app = createApp({
    ...api,
    readModels,
    ...(platform.exclusive ? { lone: { begunAt: await log.head(), head: () => log.head(), appendListeners } } : { head: () => log.head() }),
    projections: allProjections.map(({ name }) => name),
    limits,
    connections,
    trusts,
    clock,
    logger,
    observers,
    corsOrigins: config.corsOrigins,
    https: config.publicUrl?.startsWith('https:') ?? false,
  });
  const gateways = serves ? [api.gateway, api.realtime] : [];
  const upgrades = (incoming: IncomingMessage) => gateways.some((gateway) => gateway.takes(incoming));
  const listening = { host: config.host, port: config.port, clock, logger, connections, limits, upgrades };
  const http = await listen(app, listening).catch((error: unknown) => {
    throw notListening(error, config);
  });
  if (serves) serveUpgrades(http.server, gateways);
  return http;
};

/** The setting that prevents listening, if the system reports it. */
const notListening = (error: unknown, { host, port }: Config): unknown => {
  switch (error instanceof Error && 'code' in error ? error.code : null) {
    case 'EADDRINUSE':
      return new BadSetting('PORT', `port ${port} of ${host} is already in use. Stop the other process or set PORT`);
    case 'EACCES':
      return new BadSetting('PORT', `this user may not listen on port ${port}. Set PORT to 1024 or higher`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new BadSetting('HOST', `"${host}" is not an address of this machine`);
    default:
      return error;
  }
};

const warnOfOpenRanges = ({ config: { webhookAllowCidrs: ranges }, logger }: Platform): void => {
  if (ranges.length > 0)
    logger.warn(
      { ranges: ranges.map(([address, length]) => `${address}/${length}`) },
      'WEBHOOK_ALLOW_CIDRS: every user can reach these private ranges through webhooks and links',
    );
};

const warnOfWebhookProxy = ({ config: { webhookProxyUrl }, logger }: Platform): void => {
  if (webhookProxyUrl)
    logger.warn(
      { proxy: webhookProxyUrl.host },
      'WEBHOOK_PROXY_URL: the proxy resolves names for webhooks and own processors, so only names and literal addresses are checked here. Let it refuse private addresses.',
    );
};

const warnOfTrustedProxies = ({ config: { trustProxy }, logger }: Platform): void => {
  if (trustProxy === true)
    logger.warn(
      {},
      'TRUST_PROXY=true believes any X-Forwarded-For, so callers can forge their address. Set the number of proxies, such as TRUST_PROXY=1.',
    );
};

/** Before the node's work has started. */
const NO_QUEUES = { runs: [], deliveries: { due: 0, scheduled: 0, inFlight: 0 } };

const NO_BOOTSTRAP = { made: [], position: null } as const;

const bootstrapped = ({ config, log }: Platform) =>
  ensureBootstrap(
    { log },
    {
      clientId: config.bootstrapClientId ?? undefined,
      clientSecret: config.bootstrapClientSecret ?? undefined,
      apiKey: config.bootstrapApiKey ?? undefined,
    },
    { subject: '', actor: 'bootstrap', correlationId: 'bootstrap', causationId: 'bootstrap' },
  );

const openControl = async ({ config, logger }: Platform, operate: RunOperation) => {
  const control = await serveControlSocket(join(config.dataDir, 'control.sock'), operate);
  if (control === null) logger.warn({}, 'DATA_DIR is too long for a control socket. Stop the server to use the command line');
  return control;
};

const STOPPING: HealthChecks = { server: { ok: false, reason: 'The server is stopping.' } };

const readiness = async (platform: Platform): Promise<HealthChecks> => {
  const stores = await checkStores(platform);
  // Only these roles read or build them.
  const built = platform.engine.ready() || !platform.config.roles.some((role) => role === 'http' || role === 'projections');
  const fault = stores.every(({ ok }) => ok) ? await sealFault(platform) : null;
  // Checks the stores too: if they are away, that is the reason to report.
  const stopped = stores.every(({ ok }) => ok)
    ? (await platform.engine.status()).filter(({ state }) => state === 'stopped').map(({ name }) => name)
    : [];
  return {
    ...Object.fromEntries(stores.map(({ name, ok, detail }) => [name, { ok, reason: ok ? null : detail }])),
    seals: { ok: fault === null, reason: fault && `The log is not vouched for: ${fault}. Run tributary audit verify.` },
    eventStreams: { ok: platform.damage.sentence() === null, reason: platform.damage.sentence() },
    // Everything but uploads still works: the node stays in service.
    disk: { ok: true, reason: platform.disk.shortage() },
    readModels: { ok: built, reason: built ? null : 'Read models are being built. tributary projections status shows the progress.' },
    projections: {
      ok: true,
      reason:
        stopped.length === 0
          ? null
          : `Stopped: ${stopped.join(', ')}. tributary projections status says why. Reads of single resources still work.`,
    },
  };
};
