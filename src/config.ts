import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseRanges, type Range } from './addressGuard/ranges.ts';
import { DAY_MILLISECONDS } from './clock.ts';
import { CREDENTIAL_ROLES, type Role } from './domain/credentials/events.ts';
import type { RetentionLimits } from './domain/stream/retention.ts';
import { jsonObjectIn } from './json.ts';
import { LIMIT_SETTINGS, MOST_BYTES } from './limits.ts';
import {
  BadSetting,
  bootstrapSecret,
  domains,
  headerList,
  httpUrl,
  integer,
  issuerUrl,
  oneOf,
  optional,
  origins,
  proxyUrl,
  refuse,
  setting,
  text,
  trustProxy,
} from './setting.ts';
import { defaultLiveEngines, memoryBytes } from './speech/liveEngines.ts';
import { isModelName } from './speech/models/modelName.ts';
import { connectionStringProblem } from './stores/eventstoredb/connectionString.ts';
import { bucketLocation } from './stores/s3/location.ts';
import { userAgentOf } from './userAgent.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const ROLES = ['http', 'projections', 'policies', 'processors', 'delivery'] as const;
export type NodeRole = (typeof ROLES)[number];

const rolesMap = (value: string): Readonly<Record<string, Role>> => {
  const map = jsonObjectIn(value) ?? refuse('it must be a JSON object, such as {"tributary-admins": "admin"}');
  return Object.fromEntries(Object.entries(map).map(([name, role]) => [name, oneOf(...CREDENTIAL_ROLES)(String(role))]));
};

const roles = (value: string): readonly NodeRole[] => value.split(',').map((part) => oneOf(...ROLES)(part.trim()));

const CENTURY_S = 3_153_600_000;

const SETTINGS = {
  port: setting('PORT', 'TCP port of the HTTP server. 0 picks a free port.', 8080, integer(0, 65_535)),
  host: setting('HOST', 'Address that the server listens on.', '127.0.0.1', text),
  publicUrl: optional(
    'PUBLIC_URL',
    'URL at which callers reach the server; part of every token. Default: from HOST and PORT; localhost if HOST is 0.0.0.0 or ::.',
    httpUrl,
  ),
  trustProxy: setting<boolean | number | string>(
    'TRUST_PROXY',
    'Proxies whose X-Forwarded-For is trusted: false, a number of hops (recommended), or addresses. true trusts every sender.',
    false,
    trustProxy,
  ),
  corsOrigins: setting<readonly string[]>(
    'CORS_ORIGINS',
    'Origins whose pages may call the server from a browser, comma-separated (https://app.example.com); * allows every origin.',
    [],
    origins,
    { shown: '' },
  ),
  dataDir: setting('DATA_DIR', 'Directory of the embedded stores. In the cluster form, of temporary files.', './data', text),
  eventstoreUrl: optional('EVENTSTORE_URL', 'EventStoreDB connection string of the cluster form (esdb://...).', (value) => {
    const problem = connectionStringProblem(value);
    return problem === null ? value : refuse(problem);
  }),
  eventstoreTimeoutMs: setting(
    'EVENTSTORE_TIMEOUT_MS',
    'Time to wait for an answer of EventStoreDB before trying again over a new connection.',
    5_000,
    integer(100, 60_000),
  ),
  mongodbUrl: optional('MONGODB_URL', 'MongoDB connection string of the cluster form (mongodb://...).', (value) =>
    /^mongodb(\+srv)?:\/\//.test(value) ? value : refuse('it must start with mongodb://'),
  ),
  topicsUrl: optional(
    'TOPICS_URL',
    "Bucket for uploads and results of 64 KiB and more: s3://bucket/prefix?endpoint=https://...&region=...&pathStyle=true. Credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS's other ways.",
    bucketLocation,
  ),
  masterKey: optional(
    'MASTER_KEY',
    '32 bytes in base64 that encrypt the vault. Embedded default: DATA_DIR/master.key, created at the first start.',
    (value) =>
      /^[A-Za-z0-9+/]{43}=$/.test(value) ? value : refuse('it must be 32 bytes in base64 (make one with: openssl rand -base64 32)'),
    { secret: true },
  ),
  roles: setting<readonly NodeRole[]>(
    'ROLES',
    'Roles of this process, comma-separated. Without http it answers only health checks and /metrics.',
    ROLES,
    roles,
    { shown: ROLES.join(',') },
  ),
  leaseTtlMs: setting(
    'LEASE_TTL_MS',
    "Milliseconds without a sign of life after which other nodes take over a node's work (cluster form). Use the same value on every node.",
    10_000,
    integer(500, 600_000),
  ),
  authRealm: setting('AUTH_REALM', 'Realm of the token endpoint.', 'tributary', (value) =>
    /^[A-Za-z0-9_-]+$/.test(value) ? value : refuse('letters, digits, _ and - only'),
  ),
  authJwksUri: optional('AUTH_JWKS_URI', 'JWKS URL of an outside issuer. Together with AUTH_ISSUER, its tokens are accepted too.', httpUrl),
  authIssuer: optional('AUTH_ISSUER', 'The outside issuer, exactly as in the claim iss of its tokens.', text),
  authAudience: setting('AUTH_AUDIENCE', "Audience that the outside issuer's tokens must have.", 'tributary', text),
  authRolesClaim: setting('AUTH_ROLES_CLAIM', "Claim of the outside issuer's tokens that contains the roles.", 'realm_access.roles', text),
  authRolesSeparator: optional(
    'AUTH_ROLES_SEPARATOR',
    'Separator of the roles in a claim that is text, such as a comma, or the word space. Default: the whole text is one role.',
    (value) => (value === 'space' ? ' ' : value),
  ),
  oidcIssuer: optional(
    'OIDC_ISSUER',
    "Your organisation's identity provider (OpenID Connect), exactly as in the claim iss. Together with OIDC_CLIENT_ID, people sign in to the dashboard with it.",
    issuerUrl,
  ),
  oidcClientId: optional(
    'OIDC_CLIENT_ID',
    'Client id of this server at the identity provider. Redirect URI: PUBLIC_URL/sign-in/callback.',
    text,
  ),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', 'Its secret. Without one it is a public client.', text, { secret: true }),
  oidcScopes: setting('OIDC_SCOPES', 'Scopes that are asked for.', 'openid profile email', text),
  oidcRolesClaim: setting('OIDC_ROLES_CLAIM', 'Claim with the names that OIDC_ROLES_MAP maps to roles, such as groups.', 'roles', text),
  oidcRolesMap: setting<Readonly<Record<string, Role>>>(
    'OIDC_ROLES_MAP',
    'Roles by the names in that claim, as JSON: {"tributary-admins": "admin"}. Other names give no role.',
    {},
    rolesMap,
    { shown: '' },
  ),
  oidcDefaultRole: optional<Role | 'none'>(
    'OIDC_DEFAULT_ROLE',
    'Role of people without another one; none refuses them. Default: user with OIDC_ROLES_MAP or OIDC_ALLOWED_DOMAINS, otherwise none.',
    oneOf('none', ...CREDENTIAL_ROLES),
  ),
  oidcAllowedDomains: setting<readonly string[]>(
    'OIDC_ALLOWED_DOMAINS',
    'Domains of verified e-mail addresses that may sign in, comma-separated. Default: all.',
    [],
    domains,
    { shown: '' },
  ),
  bootstrapClientId: optional('BOOTSTRAP_CLIENT_ID', 'Client id of an admin created at the first start.', text),
  bootstrapClientSecret: optional(
    'BOOTSTRAP_CLIENT_SECRET',
    'Its secret, at least 32 characters. Without both, an admin is created and its credentials are shown once.',
    bootstrapSecret,
    { secret: true },
  ),
  bootstrapApiKey: optional('BOOTSTRAP_API_KEY', 'An API key of the same admin, at least 32 characters.', bootstrapSecret, {
    secret: true,
  }),
  webhookAllowCidrs: setting<readonly Range[]>(
    'WEBHOOK_ALLOW_CIDRS',
    'Private address ranges that webhooks and links may reach, comma-separated. Opens these networks to every user.',
    [],
    parseRanges,
    { shown: '' },
  ),
  webhookProxyUrl: optional(
    'WEBHOOK_PROXY_URL',
    'HTTP proxy (http:// or https://) for all webhooks and own processors, by CONNECT. It resolves names, so set it up to refuse private addresses.',
    proxyUrl,
    { secret: true },
  ),
  uploadMaxBytes: setting('UPLOAD_MAX_BYTES', 'Largest upload, in bytes.', 2 * 1024 ** 3, integer(1, MOST_BYTES)),
  tusExpireS: setting(
    'TUS_EXPIRE_S',
    'Seconds after its last byte in which a resumable upload must be continued.',
    86_400,
    integer(1, 2_592_000),
  ),
  mediaMaxSeconds: setting('MEDIA_MAX_SECONDS', 'Longest recording that is transcribed, in seconds.', 14_400, integer(1, 604_800)),
  ...LIMIT_SETTINGS,
  exportMaxWaitMs: setting('EXPORT_MAX_WAIT_MS', 'Longest time an export waits for its streams.', 60_000, integer(0, DAY_MILLISECONDS)),
  openaiMaxWaitMs: setting(
    'OPENAI_MAX_WAIT_MS',
    "Longest wait of a request under /v1 for its transcript. Keep it below your clients' own time limit (10 minutes).",
    540_000,
    integer(0, DAY_MILLISECONDS),
  ),
  retentionEphemeralS: setting('RETENTION_EPHEMERAL_S', 'Time that the data of an ephemeral stream are kept.', 60, integer(0, CENTURY_S)),
  retentionPersistentS: setting(
    'RETENTION_PERSISTENT_S',
    'Time that the data of a persistent stream are kept after its end. 0: until they are deleted, or for RETENTION_MAX_S if that is set. Streams keep the time that they were created with.',
    0,
    integer(0, CENTURY_S),
  ),
  sharing: setting<'on' | 'off'>('SHARING', 'off: transcripts cannot be shared by links, and no link opens.', 'on', oneOf('on', 'off')),
  retentionMaxS: setting(
    'RETENTION_MAX_S',
    'Longest time after the end of a stream that its owner may keep its data (keepFor, PUT .../retention). 0: no bound.',
    0,
    integer(0, CENTURY_S),
  ),
  transcriberUrl: optional('TRANSCRIBER_URL', 'Base address of an OpenAI-compatible transcription server.', httpUrl),
  transcriberApiKey: optional('TRANSCRIBER_API_KEY', 'Its API key.', text, { secret: true }),
  transcriberModel: optional('TRANSCRIBER_MODEL', 'Its model.', text),
  whisperModel: optional(
    'WHISPER_MODEL',
    'Name of the installed Whisper model to use. Default: the first installed one of base, small, tiny.en and added models.',
    (value) => (isModelName(value) ? value : refuse(`"${value}" cannot be the name of a model`)),
  ),
  modelsDir: setting(
    'MODELS_DIR',
    'Folder of the speech models. Default: models, beside node_modules.',
    fileURLToPath(new URL('../models', import.meta.url)),
    text,
    { shown: '' },
  ),
  modelsUrl: optional(
    'MODELS_URL',
    'Source of models, tried before the Hugging Face hub: a folder or base URL with <model>/<file> below it.',
    (value) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? httpUrl(value) : value),
  ),
  speechThreads: setting(
    'SPEECH_THREADS',
    'CPU threads of one speech worker. Default: 2, or 1 on a machine with one core.',
    Math.min(2, availableParallelism()),
    integer(1, 64),
    { shown: '' },
  ),
  speechIdleS: setting(
    'SPEECH_IDLE_S',
    'Seconds after which a speech worker without work ends and frees its memory.',
    300,
    integer(1, 86_400),
  ),
  speechWorkerMaxBytes: setting(
    'SPEECH_WORKER_MAX_BYTES',
    'Memory limit of one speech worker, on top of twice the size of its Whisper model. A worker above it is replaced.',
    1024 ** 3,
    integer(256 * 1024 ** 2, MOST_BYTES),
  ),
  speechStallS: setting('SPEECH_STALL_S', 'Seconds without progress after which a speech worker is replaced.', 180, integer(1, 3_600)),
  llmUrl: optional('LLM_URL', 'Base address of an OpenAI-compatible chat server.', httpUrl),
  llmApiKey: optional('LLM_API_KEY', 'Its API key.', text, { secret: true }),
  llmModel: optional('LLM_MODEL', 'Its model.', text),
  llmEnhancedModel: optional(
    'LLM_ENHANCED_MODEL',
    'Its model for enhanced transcriptions that ask for "enhanced". Default: LLM_MODEL.',
    text,
  ),
  llmMaxCharacters: setting(
    'LLM_MAX_CHARACTERS',
    'Characters of text per request, limited by its context. Longer texts are sent in parts.',
    200_000,
    integer(10_000, 10_000_000),
  ),
  engineTimeoutMs: setting(
    'ENGINE_TIMEOUT_MS',
    'Milliseconds that a transcription or chat server may take to answer.',
    600_000,
    integer(100, DAY_MILLISECONDS),
  ),
  priceListFile: optional('PRICE_LIST_FILE', 'JSON price list instead of the shipped one.', text),
  processorConcurrency: setting(
    'PROCESSOR_CONCURRENCY',
    'Concurrent batch runs. Default: the number of cores.',
    availableParallelism(),
    integer(1, 1024),
    { shown: '' },
  ),
  liveEngines: setting(
    'LIVE_ENGINES',
    'Maximum number of concurrent live speech sessions. Each takes a worker with about 455 MiB of memory. One user gets at most half of them; further sessions wait. Default: 4 for each core, at most what fits into half of the memory, at least 2.',
    defaultLiveEngines(availableParallelism(), memoryBytes()),
    integer(1, 10_000),
    { shown: '' },
  ),
  engineRetryS: setting(
    'ENGINE_RETRY_S',
    'Seconds for which a run waits for a transcription or chat server, or an own processor, that is down, without counting attempts.',
    300,
    integer(0, 86_400),
  ),
  maxAttempts: setting('MAX_ATTEMPTS', 'Attempts of a run whose failure can be retried.', 3, integer(1, 100)),
  logLevel: setting<(typeof LOG_LEVELS)[number]>(
    'LOG_LEVEL',
    'trace, debug, info, warn, error, fatal or silent.',
    'info',
    oneOf(...LOG_LEVELS),
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Base address of the OpenTelemetry receiver for traces (OTLP over HTTP, JSON).',
    httpUrl,
  ),
  otlpHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', 'Headers for it, such as a key: name=value pairs, comma-separated.', '', headerList, {
    secret: true,
  }),
  otelServiceName: setting('OTEL_SERVICE_NAME', 'Name of this service in traces.', 'tributary', text),
  sealEvents: setting('SEAL_EVENTS', 'Number of events after which the log is sealed.', 10_000, integer(1, 1_000_000_000)),
  sealIntervalS: setting('SEAL_INTERVAL_S', 'Seconds after which the log is sealed.', 60, integer(1, 86_400)),
  webhookRetryBaseMs: setting('WEBHOOK_RETRY_BASE_MS', 'First delay before a webhook is retried.', 5_000, integer(1, DAY_MILLISECONDS)),
  webhookRetryWindowMs: setting(
    'WEBHOOK_RETRY_WINDOW_MS',
    'Time during which a webhook is retried.',
    10_800_000,
    integer(1, 30 * DAY_MILLISECONDS),
  ),
  webhookTimeoutMs: setting('WEBHOOK_TIMEOUT_MS', 'Longest time of one webhook attempt.', 15_000, integer(1, DAY_MILLISECONDS)),
  webhookConcurrency: setting(
    'WEBHOOK_CONCURRENCY',
    'Maximum number of concurrent webhook attempts that have waited less than a second for an answer.',
    256,
    integer(1, 10_000),
  ),
  webhookSlowConcurrency: setting(
    'WEBHOOK_SLOW_CONCURRENCY',
    'Maximum number of concurrent webhook attempts that have waited longer. Each holds a socket.',
    4_096,
    integer(1, 60_000),
  ),
} as const;

/** Every setting, read and checked. */
export type Config = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['read']> };

const together = (config: Config, given: readonly (keyof Config)[]): void => {
  const missing = given.filter((key) => config[key] === null);
  if (missing.length > 0 && missing.length < given.length) {
    const names = given.map((key) => SETTINGS[key].name);
    throw new BadSetting(SETTINGS[missing[0] ?? 'port'].name, `${names.join(' and ')} belong together`);
  }
};

/** Reads every setting from the environment. Throws `BadSetting` for the first invalid one. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const entries = Object.entries(SETTINGS).map(([key, one]) => [key, one.read(environment[one.name])]);
  const config: Config = Object.fromEntries(entries);
  together(config, ['bootstrapClientId', 'bootstrapClientSecret']);
  together(config, ['authJwksUri', 'authIssuer']);
  together(config, ['oidcIssuer', 'oidcClientId']);
  together(config, ['eventstoreUrl', 'mongodbUrl']);
  if (config.eventstoreUrl !== null && config.masterKey === null)
    throw new BadSetting('MASTER_KEY', 'the cluster form needs one. Use the same on every node (make one with: openssl rand -base64 32)');
  return config;
};

/** Name, default and meaning of every setting, for `--help` and `.env.example`. */
export const describeSettings = (): readonly { name: string; shown: string; meaning: string; secret: boolean }[] =>
  Object.values(SETTINGS).map(({ name, shown, meaning, secret }) => ({ name, shown, meaning, secret }));

/** The identity provider for people; `null` without one. */
export const identityProviderOf = (config: Config) => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcRolesMap: rolesMap, oidcAllowedDomains: allowedDomains } = config;
  if (issuer === null || clientId === null) return null;
  const isRestricted = Object.keys(rolesMap).length > 0 || allowedDomains.length > 0;
  const defaultRole = config.oidcDefaultRole ?? (isRestricted ? 'user' : 'none');
  return {
    ...{ issuer, clientId, clientSecret: config.oidcClientSecret, scopes: config.oidcScopes, userAgent: userAgentOf(config) },
    ...{ rolesClaim: config.oidcRolesClaim, rolesMap, allowedDomains, defaultRole: defaultRole === 'none' ? null : defaultRole },
  };
};

/** How long streams are kept, in milliseconds. */
export const retentionOf = ({ retentionEphemeralS, retentionPersistentS, retentionMaxS }: Config): RetentionLimits => ({
  ephemeral: retentionEphemeralS * 1_000,
  persistent: retentionPersistentS * 1_000,
  longest: retentionMaxS * 1_000,
});
