import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { wayOut } from './addressGuard/agent.ts';
import { openResolver } from './addressGuard/resolve.ts';
import { hrefJudge } from './addressGuard/url.ts';
import { ShareViews } from './commands/shares.ts';
import { TemplateLibrary } from './commands/templateLibrary.ts';
import { WebhookSecrets } from './commands/webhookSecrets.ts';
import { type Config, identityProviderOf, retentionOf } from './config.ts';
import { Excerpts } from './delivery/send/excerpts.ts';
import { payloadOf } from './delivery/send/payload.ts';
import { newPeriodSeconds } from './domain/stream/retention.ts';
import { auditRoutes } from './http/audit/auditRoutes.ts';
import type { Authenticate } from './http/auth/authentication.ts';
import type { OpenAccess } from './http/auth/openAccess.ts';
import { dashboardRoutes } from './http/dashboard/dashboard.ts';
import { declarationRoutes } from './http/declarations/declarationRoutes.ts';
import { apiDocumentRoutes } from './http/docs/apiDocuments.ts';
import { docsFiles } from './http/docs/files.ts';
import { exportRoutes } from './http/export/exportRoutes.ts';
import { Links } from './http/gateway/links.ts';
import { UploadPlanner } from './http/gateway/planner.ts';
import { tusRoutes } from './http/gateway/tus/tusRoutes.ts';
import { uploadRoutes } from './http/gateway/uploadRoutes.ts';
import { LiveGateway } from './http/gateway/webSocket/liveGateway.ts';
import { SocketAdmission } from './http/gateway/webSocket/socketAdmission.ts';
import { MemoryBudget } from './http/limits/memoryBudget.ts';
import { liveRoutes } from './http/live/liveRoutes.ts';
import { mcpRoute } from './http/mcp/mcpRoute.ts';
import { modelRoutes } from './http/openai/models/modelRoutes.ts';
import { SpeechModels } from './http/openai/models/speechModels.ts';
import { RealtimeGateway } from './http/openai/realtime/realtimeGateway.ts';
import { SpeechGateway } from './http/openai/transcriptions/speechGateway.ts';
import { speechRoutes } from './http/openai/transcriptions/speechRoutes.ts';
import { type HealthChecks, healthRoutes } from './http/operations/healthRoutes.ts';
import { keptResultsRoute } from './http/operations/keptResultsRoute.ts';
import { metricsRoute } from './http/operations/metricsRoute.ts';
import { operationsRoutes } from './http/operations/operationsRoutes.ts';
import { setupAdvice } from './http/operations/setupAdvice.ts';
import { systemRoutes, type ThisNode } from './http/operations/systemRoutes.ts';
import { type AdmitCommand, commandAdmission } from './http/route/admission.ts';
import type { Route } from './http/route/route.ts';
import { searchRoutes } from './http/search/searchRoute.ts';
import { sharedRoutes } from './http/shares/sharedRoutes.ts';
import { shareRoutes } from './http/shares/shareRoutes.ts';
import { openAuthentication } from './http/signIn/openAuthentication.ts';
import { dataSourceRoute, uploadOf } from './http/streams/dataSourceRoute.ts';
import { deletionRoutes } from './http/streams/deletionRoutes.ts';
import { groupRoutes } from './http/streams/groupRoutes.ts';
import { labelRoutes, spellLabels } from './http/streams/labelRoutes.ts';
import { bulkRerunRoutes } from './http/streams/reruns/bulkRerunRoutes.ts';
import { rerunRoutes } from './http/streams/reruns/rerunRoutes.ts';
import { retentionRoutes } from './http/streams/retentionRoutes.ts';
import { streamEventsRoute } from './http/streams/streamEventsRoute.ts';
import { openStreamNews } from './http/streams/streamNews.ts';
import { streamRoutes } from './http/streams/streamRoutes.ts';
import { stageDataRoutes } from './http/streams/timeline/stageDataRoutes.ts';
import { timelineRoute } from './http/streams/timeline/timelineRoute.ts';
import { templateRoutes } from './http/templates/templateRoutes.ts';
import { transcriptRoutes } from './http/transcript/transcriptRoutes.ts';
import { usageRoutes } from './http/usage/usageRoutes.ts';
import { vocabularyRoutes } from './http/vocabularies/vocabularyRoutes.ts';
import { deliveryRoutes } from './http/webhooks/deliveryRoutes.ts';
import { webhookEndpointRoutes } from './http/webhooks/webhookEndpointRoutes.ts';
import { webhookRequestRoutes } from './http/webhooks/webhookRequestRoutes.ts';
import { webhookSecretRoutes } from './http/webhooks/webhookSecretRoutes.ts';
import { newestBackup } from './moving/backupRecord.ts';
import type { NodeQueues } from './nodeQueues.ts';
import type { Platform } from './platform.ts';
import { stageCheck } from './processors/availability.ts';
import { openEngineStates } from './processors/engineStates.ts';
import type { Processors } from './processors/registry.ts';
import { inSetting } from './setting.ts';
import { installedModels } from './speech/models/installedModels.ts';
import { userAgentOf } from './userAgent.ts';
import { VERSION } from './version.ts';

/** Every operation of the public interface, with its access rules. */
export interface Api {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly access: OpenAccess;
  /** Serves WebSockets on the same port. */
  readonly gateway: LiveGateway;
  readonly admit: AdmitCommand;
  readonly memory: MemoryBudget;
  /** Serves the WebSockets of realtime transcription sessions. */
  readonly realtime: RealtimeGateway;
}

export interface ApiDeps {
  readonly platform: Platform;
  readonly processors: Processors;
  /** Known once the server has its port. */
  readonly publicUrl: () => string;
  readonly ready: () => Promise<HealthChecks>;
  /** Called for every request. */
  readonly queues: () => NodeQueues;
}

const DEPLOYMENT = 'tributary';

/** Connects the services to the platform. Throws `BadSetting` for settings that only the services can check. */
export const openApi = ({ platform, processors, publicUrl, ready, queues }: ApiDeps): Api => {
  const { config, clock, keys, limits, log, metrics, readModels, topics } = platform;
  const {
    authentication,
    access,
    tokens,
    routes: authenticationRoutes,
  } = inSetting('TRUST_PROXY', () =>
    openAuthentication(platform, {
      limits,
      realm: config.authRealm,
      publicUrl,
      trustProxy: config.trustProxy,
      outside: outsideIssuerOf(config),
      identityProvider: identityProviderOf(config),
    }),
  );
  const memory = new MemoryBudget(limits);
  const templates = new TemplateLibrary(log);
  const { schemas, declared, admission } = platform;
  const admit = commandAdmission(platform);
  const guard = { allow: config.webhookAllowCidrs, resolve: openResolver() };
  const judgeWebhook = hrefJudge(wayOut(config.webhookAllowCidrs, config.webhookProxyUrl));
  const planning = {
    log,
    limits,
    templates,
    processors,
    schemas,
    judgeWebhook,
    deployment: DEPLOYMENT,
    replica: '0',
    retention: retentionOf(config),
    spellLabels: (subject: string, labels: readonly string[]) => spellLabels({ log, readModels }, subject, labels),
  };
  const news = openStreamNews(platform);
  const maxBytes = config.uploadMaxBytes;
  const userAgent = userAgentOf(config);
  const planner = new UploadPlanner(planning);
  const ingesting = { ...platform, memory, news, planner, maxBytes };
  const sockets = new SocketAdmission({ ...platform, memory, authentication, admit });
  const gateway = new LiveGateway({ ...ingesting, access, sockets });
  const models = new SpeechModels({ templates, planner });
  const speech = new SpeechGateway({ ...ingesting, models, maxWait: config.openaiMaxWaitMs });
  const realtime = new RealtimeGateway({ ...ingesting, access, sockets, models, secrets: tokens });
  const exports = exportRoutes({ ...platform, news, maxWait: config.exportMaxWaitMs });
  const shares = { ...platform, views: new ShareViews(platform), publicUrl, isOn: config.sharing === 'on' };
  const routes = [
    ...authenticationRoutes,
    ...templateRoutes({ log, limits, templates, schemas, processors }),
    ...declarationRoutes({ log, limits, keys, clock, schemas, declared, admission, judge: judgeWebhook }),
    ...vocabularyRoutes({ log }),
    ...uploadRoutes({ ...ingesting, links: new Links({ guard, maxBytes, userAgent }) }),
    ...tusRoutes(ingesting),
    ...gateway.routes,
    ...streamRoutes({ ...platform, templates }),
    streamEventsRoute(platform),
    timelineRoute(platform),
    ...stageDataRoutes(platform),
    dataSourceRoute(platform),
    ...deletionRoutes(platform),
    ...retentionRoutes({ ...platform, templates, retention: retentionOf(config) }),
    ...rerunRoutes({ ...platform, templates, checkStages: stageCheck(processors, schemas) }),
    ...bulkRerunRoutes({ log, readModels, templates }),
    ...labelRoutes({ log, readModels, templates }),
    ...transcriptRoutes(platform),
    ...shareRoutes(shares),
    ...groupRoutes({ readModels }),
    ...exports.routes,
    ...searchRoutes({ readModels, templates }),
    ...liveRoutes({ ...platform, news, maxWait: config.exportMaxWaitMs }),
    ...speechRoutes(speech),
    ...modelRoutes(models),
    ...realtime.routes,
    mcpRoute({ version: VERSION, logger: platform.logger, clock }),
    ...usageRoutes(platform),
    ...webhookEndpointRoutes({
      ...{ log, readModels, clock, limits, judgeWebhook },
      retryWindow: Math.round(config.webhookRetryWindowMs / 1_000),
    }),
    ...webhookSecretRoutes({ log, clock, secrets: new WebhookSecrets(keys) }),
    ...webhookRequestRoutes({ log, clock }),
    ...deliveryRoutes({
      log,
      readModels,
      excerpts: new Excerpts({ topics, disk: platform.disk, clock }),
      payloadOf: (delivery) => payloadOf(log, delivery),
    }),
    ...auditRoutes(platform),
    ...operationsRoutes(platform),
    keptResultsRoute({ ...platform, retention: retentionOf(config) }),
    ...systemRoutes({
      ...platform,
      self: thisNode(platform),
      queues,
      engines: engineStates(platform),
      advice: async () => setupAdvice(config, await installedModels(config.modelsDir)),
      newestBackup: () => newestBackup(platform.documents),
    }),
  ];
  const always = [...healthRoutes(ready), metricsRoute(() => metrics.text(), config.host)];
  const all = [...routes, ...always];
  const folder = fileURLToPath(new URL('../dist/web', import.meta.url));
  const { authRealm: realm, uploadMaxBytes, retentionEphemeralS: ephemeral, retentionMaxS: longest } = config;
  const files = docsFiles(folder);
  const opened = { ...shares, ...platform, assets: files.shared, exported: exports.exported, uploaded: uploadOf(platform) };
  const persistent = newPeriodSeconds(retentionOf(config));
  const signIn = config.oidcIssuer === null ? 'key' : 'organisation';
  const pages = dashboardRoutes({ folder, realm, signIn, uploadMaxBytes, retentionSeconds: { ephemeral, persistent, longest } });
  const served = config.roles.includes('http')
    ? [...all, ...apiDocumentRoutes(all, { version: VERSION, publicUrl }, files), ...sharedRoutes(opened), ...pages]
    : always;
  return { routes: served, authenticate: authentication.authenticate, access, admit, memory, gateway, realtime };
};

const thisNode = ({ config, exclusive }: Platform): ThisNode => ({
  version: VERSION,
  form: exclusive ? 'embedded' : 'cluster',
  roles: config.roles,
  host: hostname(),
});

const engineStates = ({ config, clock }: Platform) =>
  openEngineStates({
    clock,
    userAgent: userAgentOf(config),
    installed: () => installedModels(config.modelsDir),
    speechServer: config.transcriberUrl === null ? null : { url: config.transcriberUrl, model: config.transcriberModel },
    languageModel: config.llmUrl === null ? null : { url: config.llmUrl, model: config.llmModel },
  });

const outsideIssuerOf = (config: Config) => {
  const { authJwksUri: jwksUri, authIssuer: issuer, authAudience: audience } = config;
  if (jwksUri === null || issuer === null) return null;
  const { authRolesClaim: rolesClaim, authRolesSeparator: rolesSeparator } = config;
  return { jwksUri, userAgent: userAgentOf(config), issuer, audience, rolesClaim, rolesSeparator };
};
