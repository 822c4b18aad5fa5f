import { integer, optional, setting } from './setting.ts';

const MEBIBYTE = 1_048_576;
/** A pebibyte: bounds settings in bytes. */
export const MOST_BYTES = 2 ** 50;

/** The limits of callers, as settings. `docs/security.md` lists them all. */
export const LIMIT_SETTINGS = {
  headerMaxBytes: setting('HEADER_MAX_BYTES', 'Largest request line and headers together, in bytes.', 65_536, integer(8_192, MEBIBYTE)),
  formMaxBytes: setting('FORM_MAX_BYTES', 'Largest body in the form x-www-form-urlencoded, in bytes.', 8_192, integer(1_024, MEBIBYTE)),
  formMaxFields: setting('FORM_MAX_FIELDS', 'Maximum number of fields in such a body.', 20, integer(5, 1_000)),
  multipartFieldsMaxBytes: setting(
    'MULTIPART_FIELDS_MAX_BYTES',
    'Largest ordinary fields of a multipart body together, in bytes.',
    262_144,
    integer(1_024, 16 * MEBIBYTE),
  ),
  multipartMaxFields: setting(
    'MULTIPART_MAX_FIELDS',
    'Maximum number of ordinary fields of a multipart body.',
    1_000,
    integer(10, 100_000),
  ),
  jsonMaxBytes: setting('JSON_MAX_BYTES', 'Largest JSON body, in bytes.', MEBIBYTE, integer(65_536, 64 * MEBIBYTE)),
  configurationPartMaxBytes: setting(
    'CONFIGURATION_PART_MAX_BYTES',
    'Largest configuration part of a multipart upload, in bytes.',
    MEBIBYTE,
    integer(1_024, 64 * MEBIBYTE),
  ),
  jsonMaxValues: setting(
    'JSON_MAX_VALUES',
    'Maximum number of values (strings, numbers, literals, objects, arrays) in JSON from a caller.',
    20_000,
    integer(1_000, 10_000_000),
  ),
  processorLineMaxValues: setting(
    'PROCESSOR_LINE_MAX_VALUES',
    "Maximum number of values in one line of an own processor's answer.",
    200_000,
    integer(1_000, 10_000_000),
  ),
  templateMaxBytes: setting('TEMPLATE_MAX_BYTES', 'Largest new template, in bytes of JSON.', 65_536, integer(4_096, 16 * MEBIBYTE)),
  declarationMaxBytes: setting(
    'DECLARATION_MAX_BYTES',
    'Largest new processor declaration, in bytes of JSON.',
    65_536,
    integer(4_096, 16 * MEBIBYTE),
  ),
  streamConfigurationMaxBytes: setting(
    'STREAM_CONFIGURATION_MAX_BYTES',
    'Largest configuration of a new stream after its patches, in bytes of JSON.',
    65_536,
    integer(4_096, 16 * MEBIBYTE),
  ),
  maxTemplatesPerUser: setting('MAX_TEMPLATES_PER_USER', 'Maximum number of own templates of one user.', 100, integer(1, 10_000)),
  maxDeclarationsPerUser: setting(
    'MAX_DECLARATIONS_PER_USER',
    'Maximum number of own processor declarations of one user.',
    100,
    integer(1, 10_000),
  ),
  maxStreamsPerGroup: setting('MAX_STREAMS_PER_GROUP', 'Maximum number of streams in one group.', 10_000, integer(1, 1_000_000)),
  headersTimeoutS: setting('HEADERS_TIMEOUT_S', 'Seconds in which the headers of a request must arrive.', 20, integer(1, 3_600)),
  bodyTimeoutS: setting('BODY_TIMEOUT_S', 'Seconds in which a JSON body or a form must arrive.', 60, integer(1, 3_600)),
  uploadIdleS: setting('UPLOAD_IDLE_S', 'Seconds in which an upload must deliver at least UPLOAD_IDLE_BYTES.', 30, integer(1, 3_600)),
  uploadIdleBytes: setting(
    'UPLOAD_IDLE_BYTES',
    'Bytes that an upload must deliver in any UPLOAD_IDLE_S seconds.',
    128,
    integer(1, MEBIBYTE),
  ),
  answerTimeoutS: setting(
    'ANSWER_TIMEOUT_S',
    'Seconds after which an answer is cut off whose client has taken no byte.',
    60,
    integer(1, 3_600),
  ),
  maxConnectionsPerAddress: setting(
    'MAX_CONNECTIONS_PER_ADDRESS',
    'Maximum number of open connections of one address; behind a proxy of TRUST_PROXY, of open requests.',
    1_000,
    integer(1, 1_000_000),
  ),
  maxSocketsPerUser: setting('MAX_SOCKETS_PER_USER', 'Maximum number of open WebSockets of one user.', 500, integer(1, 1_000_000)),
  maxConcurrentStreams: setting('MAX_CONCURRENT_STREAMS', 'Maximum number of running streams of one user.', 1_000, integer(1, 100_000)),
  maxRunningStreams: setting(
    'MAX_RUNNING_STREAMS',
    'Maximum number of streams, of all users, that run or wait for their processors. Above it, new streams get 503.',
    10_000,
    integer(1, 1_000_000),
  ),
  maxRequestsPerUser: setting(
    'MAX_REQUESTS_PER_USER',
    'Maximum number of requests of one user that are worked on at the same time. Further ones wait in line.',
    64,
    integer(1, 100_000),
  ),
  maxRequests: setting(
    'MAX_REQUESTS',
    'Requests of all users that are worked on at the same time. Above it, users take turns.',
    256,
    integer(1, 1_000_000),
  ),
  maxRequestsPerAddress: setting(
    'MAX_REQUESTS_PER_ADDRESS',
    'The same as MAX_REQUESTS_PER_USER for requests without a credential, by address.',
    16,
    integer(1, 100_000),
  ),
  maxWaitingRequests: setting(
    'MAX_WAITING_REQUESTS',
    'Maximum number of requests in the line of one user or address. Above it, requests get 429.',
    1_000,
    integer(0, 1_000_000),
  ),
  requestWaitS: setting('REQUEST_WAIT_S', 'Longest time of a request in line, in seconds. Then it gets 429.', 10, integer(1, 600)),
  userRequestsPerSecond: setting(
    'USER_REQUESTS_PER_SECOND',
    'Requests of one user in a second. Above it, requests get 429. 0: no limit.',
    0,
    integer(0, 1_000_000),
  ),
  memoryPerUserMib: setting(
    'MEMORY_PER_USER_MIB',
    'Memory for what waits for one user: bodies, frames, answers, what arrived on sockets. In MiB.',
    32,
    integer(4, 1_048_576),
  ),
  memoryTotalMib: setting('MEMORY_TOTAL_MIB', 'The same for all users together, in MiB.', 192, integer(16, 1_048_576)),
  socketMessageMaxBytes: setting(
    'SOCKET_MESSAGE_MAX_BYTES',
    'Largest WebSocket message, in bytes.',
    16 * MEBIBYTE,
    integer(65_536, 256 * MEBIBYTE),
  ),
  socketUnreadBytes: setting(
    'SOCKET_UNREAD_BYTES',
    'Bytes of a WebSocket that wait unread in the server before it stops reading.',
    262_144,
    integer(4_096, 64 * MEBIBYTE),
  ),
  socketMessagesPerSecond: setting(
    'SOCKET_MESSAGES_PER_SECOND',
    "WebSocket messages of one user in a second. Above it, the user's sockets are not read until the second is over.",
    20_000,
    integer(10, 10_000_000),
  ),
  socketControlMessages: setting(
    'SOCKET_CONTROL_MESSAGES',
    'Maximum number of KEEP_ALIVE, CONFIGURATION and ping messages of one WebSocket in 10 seconds.',
    100,
    integer(1, 100_000),
  ),
  schemaTimeoutMs: setting(
    'SCHEMA_TIMEOUT_MS',
    "Longest time to compile or apply a caller's JSON Schema or pattern, in milliseconds.",
    1_000,
    integer(50, 60_000),
  ),
  exportMaxBytes: setting(
    'EXPORT_MAX_BYTES',
    'Largest export in a format that is collected before it is sent, in bytes of results. EVENTS has no limit.',
    64 * MEBIBYTE,
    integer(65_536, 1024 * MEBIBYTE),
  ),
  maxExports: setting('MAX_EXPORTS', 'Such exports that are made at the same time.', 4, integer(1, 64)),
  logBytesPerUserDay: setting(
    'LOG_BYTES_PER_USER_DAY',
    "Bytes that one user's commands may add to the log in a UTC day; 0: no limit.",
    10 * 1024 ** 3,
    integer(0, MOST_BYTES),
  ),
  diskWatermarkBytes: optional(
    'DISK_WATERMARK_BYTES',
    'Free bytes under DATA_DIR below which uploads are refused; 0: never. Default: 256 MiB, at most 5 % of the disk.',
    integer(0, MOST_BYTES),
  ),
  keptBytesPerUser: optional(
    'KEPT_BYTES_PER_USER',
    "Bytes that one user's kept streams may take; 0: no limit. Default: a quarter of the disk of DATA_DIR.",
    integer(0, MOST_BYTES),
  ),
  webhooksPerOrigin: setting(
    'WEBHOOKS_PER_ORIGIN',
    'Maximum number of concurrent webhook attempts of one user to one origin.',
    10,
    integer(1, 10_000),
  ),
  webhookHoldFailures: setting(
    'WEBHOOK_HOLD_FAILURES',
    'Failures in a row after which an origin gets one attempt in WEBHOOK_HOLD_S.',
    5,
    integer(1, 1_000),
  ),
  webhookHoldS: setting('WEBHOOK_HOLD_S', 'Seconds between attempts to an origin that keeps failing.', 30, integer(1, 3_600)),
} as const;

/** The limits in force. Sizes in bytes unless the name says otherwise. */
export type Limits = { readonly [K in keyof typeof LIMIT_SETTINGS]: ReturnType<(typeof LIMIT_SETTINGS)[K]['read']> };

const read = (): Limits => {
  const entries = Object.entries(LIMIT_SETTINGS).map(([key, one]) => [key, one.read(undefined)]);
  return Object.fromEntries(entries);
};

/** The limits without any setting. */
export const DEFAULT_LIMITS: Limits = read();
