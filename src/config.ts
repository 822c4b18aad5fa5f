import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseRanges, type Range } from './addressGuard/ranges.ts';
import { BadSetting, bootstrapSecret, headerList, httpUrl, integer, oneOf, origins, refuse, setting, text, trustProxy } from './setting.ts';
import { defaultLiveEngines, memoryBytes } from './speech/liveEngines.ts';
import { isModelName } from './speech/models/modelName.ts';
import { connectionStringProblem } from './stores/eventstoredb/connectionString.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const ROLES = ['http', 'projections', 'policies', 'processors', 'delivery'] as const;
export type NodeRole = (typeof ROLES)[number];

const roles = (value: string): readonly NodeRole[] => value.split(',').map((part) => oneOf(...ROLES)(part.trim()));

const SETTINGS = {
  port: setting({ name: 'PORT', meaning: 'TCP port of the HTTP server. 0 picks a free port.', fallback: 8080, parse: integer(0, 65_535) }),
  host: setting({ name: 'HOST', meaning: 'Address that the server listens on.', fallback: '127.0.0.1', parse: text }),
  publicUrl: setting<string | null>({
    name: 'PUBLIC_URL',
    meaning: 'URL at which callers reach the server; part of every token. Default: from HOST and PORT.',
    fallback: null,
    parse: httpUrl,
  }),
  trustProxy: setting<boolean | number | string>({
    name: 'TRUST_PROXY',
    meaning: 'Proxies whose X-Forwarded-For is trusted: false, a number of hops (recommended), or addresses. true trusts every sender.',
    fallback: false,
    parse: trustProxy,
  }),
  corsOrigins: setting<readonly string[]>({
    name: 'CORS_ORIGINS',
    meaning: 'Origins whose pages may call the server from a browser, comma-separated (https://app.example.com); * is every one.',
    shown: '',
    fallback: [],
    parse: origins,
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    meaning: 'Directory of the embedded stores. In the cluster form, of temporary files.',
    fallback: './data',
    parse: text,
  }),
  eventstoreUrl: setting<string | null>({
    name: 'EVENTSTORE_URL',
    meaning: 'EventStoreDB connection string of the cluster form (esdb://...).',
    fallback: null,
    parse: (value) => {
      const problem = connectionStringProblem(value);
      return problem === null ? value : refuse(problem);
    },
  }),
  eventstoreTimeoutMs: setting({
    name: 'EVENTSTORE_TIMEOUT_MS',
    meaning: 'Time to wait for an answer of EventStoreDB before trying again over a new connection.',
    fallback: 5_000,
    parse: integer(100, 60_000),
  }),
  mongodbUrl: setting<string | null>({
    name: 'MONGODB_URL',
    meaning: 'MongoDB connection string of the cluster form (mongodb://...).',
    fallback: null,
    parse: (value) => (/^mongodb(\+srv)?:\/\//.test(value) ? value : refuse('it must start with mongodb://')),
  }),
  masterKey: setting<string | null>({
    name: 'MASTER_KEY',
    meaning: '32 bytes in base64 that encrypt the vault. Embedded default: DATA_DIR/master.key, created at the first start.',
    secret: true,
    fallback: null,
    parse: (value) =>
      /^[A-Za-z0-9+/]{43}=$/.test(value) ? value : refuse('it must be 32 bytes in base64 (make one with: openssl rand -base64 32)'),
  }),
  roles: setting<readonly NodeRole[]>({
    name: 'ROLES',
    meaning: 'Roles of this process, comma-separated. Without http it answers only health checks and /metrics.',
    shown: ROLES.join(','),
    fallback: ROLES,
    parse: roles,
  }),
  leaseTtlMs: setting({
    name: 'LEASE_TTL_MS',
    meaning:
      "Milliseconds without a sign of life after which other nodes take over a node's work (cluster form). Use the same value on every node.",
    fallback: 10_000,
    parse: integer(500, 600_000),
  }),
  authRealm: setting({
    name: 'AUTH_REALM',
    meaning: 'Realm of the token endpoint.',
    fallback: 'tributary',
    parse: (value) => (/^[A-Za-z0-9_-]+$/.test(value) ? value : refuse('letters, digits, _ and - only')),
  }),
  authJwksUri: setting<string | null>({
    name: 'AUTH_JWKS_URI',
    meaning: 'JWKS URL of an outside issuer. Together with AUTH_ISSUER, its tokens are accepted too.',
    fallback: null,
    parse: httpUrl,
  }),
  authIssuer: setting<string | null>({
    name: 'AUTH_ISSUER',
    meaning: 'The outside issuer, exactly as in the claim iss of its tokens.',
    fallback: null,
    parse: text,
  }),
  authAudience: setting({
    name: 'AUTH_AUDIENCE',
    meaning: "What the outside issuer's tokens must say as audience.",
    fallback: 'tributary',
    parse: text,
  }),
  authRolesClaim: setting({
    name: 'AUTH_ROLES_CLAIM',
    meaning: "Where the outside issuer's tokens hold the roles.",
    fallback: 'realm_access.roles',
    parse: text,
  }),
  authRolesSeparator: setting<string | null>({
    name: 'AUTH_ROLES_SEPARATOR',
    meaning: 'What separates roles in a claim that is text, such as a comma, or the word space. Default: such a claim is one role.',
    fallback: null,
    parse: (value) => (value === 'space' ? ' ' : value),
  }),
  bootstrapClientId: setting<string | null>({
    name: 'BOOTSTRAP_CLIENT_ID',
    meaning: 'Client id of an admin created at the first start.',
    fallback: null,
    parse: text,
  }),
  bootstrapClientSecret: setting<string | null>({
    name: 'BOOTSTRAP_CLIENT_SECRET',
    meaning: 'Its secret, at least 32 characters. Without both, an admin is created and its credentials are shown once.',
    secret: true,
    fallback: null,
    parse: bootstrapSecret,
  }),
  bootstrapApiKey: setting<string | null>({
    name: 'BOOTSTRAP_API_KEY',
    meaning: 'An API key of the same admin, at least 32 characters.',
    secret: true,
    fallback: null,
    parse: bootstrapSecret,
  }),
  webhookAllowCidrs: setting<readonly Range[]>({
    name: 'WEBHOOK_ALLOW_CIDRS',
    meaning: 'Private address ranges that webhooks and links may reach, comma-separated. Opens these networks to every user.',
    shown: '',
    fallback: [],
    parse: parseRanges,
  }),
  uploadMaxBytes: setting({ name: 'UPLOAD_MAX_BYTES', meaning: 'Largest upload.', fallback: 2 * 1024 ** 3, parse: integer(1) }),
  mediaMaxSeconds: setting({
    name: 'MEDIA_MAX_SECONDS',
    meaning: 'Longest recording that is transcribed, in seconds.',
    fallback: 14_400,
    parse: integer(1, 604_800),
  }),
  diskWatermarkBytes: setting<number | null>({
    name: 'DISK_WATERMARK_BYTES',
    meaning: 'Free bytes under DATA_DIR below which uploads are refused; 0: never. Default: 256 MiB, at most 5 % of the disk.',
    fallback: null,
    parse: integer(0),
  }),
  logBytesPerUserDay: setting({
    name: 'LOG_BYTES_PER_USER_DAY',
    meaning: "Bytes that one user's own commands may put into the log in a UTC day; 0: no limit.",
    fallback: 10 * 1024 ** 3,
    parse: integer(0),
  }),
  maxConcurrentStreams: setting({
    name: 'MAX_CONCURRENT_STREAMS',
    meaning: 'Running streams of one user.',
    fallback: 1000,
    parse: integer(1, 100_000),
  }),
  maxRunningStreams: setting({
    name: 'MAX_RUNNING_STREAMS',
    meaning: 'Streams of all users that run or wait for their processors at most (embedded form). New ones get 503 above it.',
    fallback: 10_000,
    parse: integer(1, 1_000_000),
  }),
  maxSocketsPerUser: setting({
    name: 'MAX_SOCKETS_PER_USER',
    meaning: 'Open WebSockets of one user at most.',
    fallback: 500,
    parse: integer(1, 1_000_000),
  }),
  maxConnectionsPerAddress: setting({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    meaning: 'Open connections of one address at most; behind a proxy of TRUST_PROXY, open requests of one address.',
    fallback: 1000,
    parse: integer(1, 1_000_000),
  }),
  exportMaxWaitMs: setting({
    name: 'EXPORT_MAX_WAIT_MS',
    meaning: 'Longest time an export waits for its streams.',
    fallback: 60_000,
    parse: integer(0),
  }),
  openaiMaxWaitMs: setting({
    name: 'OPENAI_MAX_WAIT_MS',
    meaning: "Longest wait of a request under /v1 for its transcript. Keep it below your clients' own time limit (10 minutes).",
    fallback: 540_000,
    parse: integer(0),
  }),
  retentionEphemeralS: setting({
    name: 'RETENTION_EPHEMERAL_S',
    meaning: 'Time that the data of an ephemeral stream are kept.',
    fallback: 60,
    parse: integer(0),
  }),
  retentionPersistentS: setting({
    name: 'RETENTION_PERSISTENT_S',
    meaning: 'Time that the data of a persistent stream are kept.',
    fallback: 10_800,
    parse: integer(0),
  }),
  retentionMaxS: setting({
    name: 'RETENTION_MAX_S',
    meaning: 'Longest time after the end of a stream that its owner may keep its data (PUT .../retention).',
    fallback: 2_592_000,
    parse: integer(0),
  }),
  transcriberUrl: setting<string | null>({
    name: 'TRANSCRIBER_URL',
    meaning: 'Base address of an OpenAI-compatible transcription server.',
    fallback: null,
    parse: httpUrl,
  }),
  transcriberApiKey: setting<string | null>({
    name: 'TRANSCRIBER_API_KEY',
    meaning: 'Its API key.',
    secret: true,
    fallback: null,
    parse: text,
  }),
  transcriberModel: setting<string | null>({ name: 'TRANSCRIBER_MODEL', meaning: 'Its model.', fallback: null, parse: text }),
  whisperModel: setting<string | null>({
    name: 'WHISPER_MODEL',
    meaning: 'Name of the installed Whisper model to use. Default: base, small, tiny.en, then added ones, the first that is installed.',
    fallback: null,
    parse: (value) => (isModelName(value) ? value : refuse(`"${value}" cannot be the name of a model`)),
  }),
  modelsDir: setting({
    name: 'MODELS_DIR',
    meaning: 'Folder of the speech models. Default: models, beside node_modules.',
    shown: '',
    fallback: fileURLToPath(new URL('../models', import.meta.url)),
    parse: text,
  }),
  modelsUrl: setting<string | null>({
    name: 'MODELS_URL',
    meaning: 'Where models are taken from before the Hugging Face hub: a folder or a base URL with <model>/<file> below it.',
    fallback: null,
    parse: (value) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? httpUrl(value) : value),
  }),
  speechThreads: setting({
    name: 'SPEECH_THREADS',
    meaning: 'CPU threads of one speech worker. Default: 2, or 1 on a machine with one core.',
    shown: '',
    fallback: Math.min(2, availableParallelism()),
    parse: integer(1, 64),
  }),
  speechIdleS: setting({
    name: 'SPEECH_IDLE_S',
    meaning: 'Seconds after which a speech worker without work ends and frees its memory.',
    fallback: 300,
    parse: integer(1, 86_400),
  }),
  speechWorkerMaxBytes: setting({
    name: 'SPEECH_WORKER_MAX_BYTES',
    meaning: 'Memory of one speech worker, without twice the size of its Whisper model. A worker that takes more is replaced.',
    fallback: 1024 ** 3,
    parse: integer(256 * 1024 ** 2),
  }),
  speechStallS: setting({
    name: 'SPEECH_STALL_S',
    meaning: 'Seconds without progress after which a speech worker is replaced.',
    fallback: 180,
    parse: integer(1, 3_600),
  }),
  llmUrl: setting<string | null>({
    name: 'LLM_URL',
    meaning: 'Base address of an OpenAI-compatible chat server.',
    fallback: null,
    parse: httpUrl,
  }),
  llmApiKey: setting<string | null>({ name: 'LLM_API_KEY', meaning: 'Its API key.', secret: true, fallback: null, parse: text }),
  llmModel: setting<string | null>({ name: 'LLM_MODEL', meaning: 'Its model.', fallback: null, parse: text }),
  llmEnhancedModel: setting<string | null>({
    name: 'LLM_ENHANCED_MODEL',
    meaning: 'Its model for enhanced transcriptions that ask for "enhanced". Default: LLM_MODEL.',
    fallback: null,
    parse: text,
  }),
  llmMaxCharacters: setting({
    name: 'LLM_MAX_CHARACTERS',
    meaning: 'Characters of text per request, limited by its context. Longer texts are sent in parts.',
    fallback: 200_000,
    parse: integer(10_000, 10_000_000),
  }),
  engineTimeoutMs: setting({
    name: 'ENGINE_TIMEOUT_MS',
    meaning: 'Milliseconds that a transcription or chat server may take to answer.',
    fallback: 600_000,
    parse: integer(100),
  }),
  priceListFile: setting<string | null>({
    name: 'PRICE_LIST_FILE',
    meaning: 'JSON price list instead of the shipped one.',
    fallback: null,
    parse: text,
  }),
  processorConcurrency: setting({
    name: 'PROCESSOR_CONCURRENCY',
    meaning: 'Concurrent batch runs. Default: the number of cores.',
    shown: '',
    fallback: availableParallelism(),
    parse: integer(1, 1024),
  }),
  liveEngines: setting({
    name: 'LIVE_ENGINES',
    meaning:
      'Live speech sessions at once. Each takes a worker with about 455 MiB of memory; two cores are meant for eight. One user has at most half of them; further sessions wait. Default: 4 for each core, in half of the memory at most, and 2 at least.',
    shown: '',
    fallback: defaultLiveEngines(availableParallelism(), memoryBytes()),
    parse: integer(1, 10_000),
  }),
  engineRetryS: setting({
    name: 'ENGINE_RETRY_S',
    meaning: 'Seconds for which a run waits for a transcription or chat server that is down, without using up MAX_ATTEMPTS.',
    fallback: 300,
    parse: integer(0, 86_400),
  }),
  maxAttempts: setting({
    name: 'MAX_ATTEMPTS',
    meaning: 'Attempts of a run whose failure can be retried.',
    fallback: 3,
    parse: integer(1, 100),
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>({
    name: 'LOG_LEVEL',
    meaning: 'trace, debug, info, warn, error, fatal or silent.',
    fallback: 'info',
    parse: oneOf(...LOG_LEVELS),
  }),
  otlpEndpoint: setting<string | null>({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'Base address of the OpenTelemetry receiver for traces (OTLP over HTTP, JSON).',
    fallback: null,
    parse: httpUrl,
  }),
  otlpHeaders: setting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning: 'Headers for it, such as a key: name=value pairs, comma-separated.',
    secret: true,
    fallback: '',
    parse: headerList,
  }),
  otelServiceName: setting({ name: 'OTEL_SERVICE_NAME', meaning: 'Name of this service in traces.', fallback: 'tributary', parse: text }),
  sealEvents: setting({
    name: 'SEAL_EVENTS',
    meaning: 'Number of events after which the log is sealed.',
    fallback: 10_000,
    parse: integer(1),
  }),
  sealIntervalS: setting({ name: 'SEAL_INTERVAL_S', meaning: 'Seconds after which the log is sealed.', fallback: 60, parse: integer(1) }),
  webhookRetryBaseMs: setting({
    name: 'WEBHOOK_RETRY_BASE_MS',
    meaning: 'First delay before a webhook is retried.',
    fallback: 5_000,
    parse: integer(1),
  }),
  webhookRetryWindowMs: setting({
    name: 'WEBHOOK_RETRY_WINDOW_MS',
    meaning: 'Time during which a webhook is retried.',
    fallback: 10_800_000,
    parse: integer(1),
  }),
  webhookTimeoutMs: setting({ name: 'WEBHOOK_TIMEOUT_MS', meaning: 'Longest time of one attempt.', fallback: 15_000, parse: integer(1) }),
  webhookConcurrency: setting({
    name: 'WEBHOOK_CONCURRENCY',
    meaning: 'Concurrent attempts that have waited less than a second for an answer.',
    fallback: 256,
    parse: integer(1, 10_000),
  }),
  webhookSlowConcurrency: setting({
    name: 'WEBHOOK_SLOW_CONCURRENCY',
    meaning: 'Further concurrent attempts that have waited longer. Each holds a socket.',
    fallback: 4_096,
    parse: integer(1, 60_000),
  }),
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
  together(config, ['eventstoreUrl', 'mongodbUrl']);
  if (config.eventstoreUrl !== null && config.masterKey === null)
    throw new BadSetting('MASTER_KEY', 'the cluster form needs one. Use the same on every node (make one with: openssl rand -base64 32)');
  return config;
};

/** Name, default and meaning of every setting, for `--help` and `.env.example`. */
export const describeSettings = (): readonly { name: string; shown: string; meaning: string; secret: boolean }[] =>
  Object.values(SETTINGS).map(({ name, shown, meaning, secret }) => ({ name, shown, meaning, secret }));
