/** Usual status and title of every error, by its name. */
const USUAL = {
  GENERAL_INTERNAL_ERROR: [500, 'Internal error'],
  GENERAL_VALIDATION_ERROR: [400, 'Validation failed'],
  GENERAL_AUTHENTICATION_ERROR: [401, 'Authentication required'],
  GENERAL_AUTHORIZATION_ERROR: [403, 'Forbidden'],
  GENERAL_NOT_FOUND_ERROR: [404, 'Not found'],
  GENERAL_BAD_REQUEST_ERROR: [400, 'Bad request'],
  GENERAL_TIME_OUT_ERROR: [504, 'Time-out'],
  GENERAL_CONFLICT_ERROR: [409, 'Conflict'],
  STREAM_CONFIGURATION_BAD_TEMPLATE: [400, 'Invalid stream configuration template'],
  STREAM_CONFIGURATION_BAD_PATCH: [400, 'Invalid stream configuration'],
  STREAM_CONFIGURATION_BAD_PATCH_ALIAS: [400, 'Invalid stream configuration'],
  STREAM_USAGE_LIMIT_REACHED: [429, 'Too many running streams'],
  WEBHOOK_CONFIGURATION_ERROR: [400, 'Invalid webhook'],
  WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED: [400, 'Webhook endpoints limit reached'],
  CURRENCY_ERROR: [400, 'Unknown currency'],
  USAGE_INTERVAL_TOO_LONG: [400, 'Usage interval too long'],
  USAGE_INTERVAL_TOO_SHORT: [400, 'Usage interval too short'],
  PROCESSOR_FAILED_RESERVATION_ERROR: [503, 'No engine for a processor'],
  PROCESSOR_FAILED_CONFIRMATION_ERROR: [500, 'Processor not confirmed'],
  PROCESSOR_PROPERTIES_VALIDATION_ERROR: [400, 'Invalid processor properties'],
  // The file is at fault, not the server.
  PROCESSOR_TRANSCODING_ERROR: [400, 'Transcoding failed'],
  PROCESSOR_TRANSCRIPTION_ERROR: [500, 'Transcription failed'],
  PROCESSOR_SPEAKER_DIARIZATION_ERROR: [500, 'Speaker diarization failed'],
  PROCESSOR_GENERAL_ERROR: [500, 'Processor failed'],
  PROCESSOR_CORDONED_ERROR: [503, 'Processor cordoned'],
  PROCESSOR_FEATURE_ERROR: [400, 'Feature not available'],
  HTTP_STREAM_CONFIGURATION_ERROR: [400, 'Invalid stream configuration'],
} as const satisfies Record<string, readonly [statusCode: number, title: string]>;

export type ProblemName = keyof typeof USUAL;
/** Every `internalErrorName` of the public interface. */
export const PROBLEM_NAMES = Object.keys(USUAL) as ProblemName[];

/** Body of every error response. */
export interface ErrorResponse {
  statusCode: number;
  title: string;
  message: string;
  internalErrorName: ProblemName;
  nestedErrors: ErrorResponse[];
}

export interface ProblemOptions {
  /** Default: the usual title of the name. */
  title?: string;
  /** Default: the usual status of the name. */
  statusCode?: number;
  nested?: readonly Problem[];
  /** Additional response headers, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>>;
  /** The cause. Logged, never shown to callers. */
  cause?: unknown;
}

/**
 * An error that reaches the caller, in the terms of the public interface. The message is shown to callers: it says what to do next, and never
 * contains a path, a stack trace or a driver's text.
 */
export class Problem extends Error {
  readonly internalErrorName: ProblemName;
  readonly statusCode: number;
  readonly title: string;
  readonly nested: readonly Problem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(name: ProblemName, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.internalErrorName = name;
    this.statusCode = options.statusCode ?? USUAL[name][0];
    this.title = options.title ?? USUAL[name][1];
    this.nested = options.nested ?? [];
    this.headers = options.headers ?? {};
  }

  toResponse(): ErrorResponse {
    return {
      statusCode: this.statusCode,
      title: this.title,
      message: this.message,
      internalErrorName: this.internalErrorName,
      nestedErrors: this.nested.map((nested) => nested.toResponse()),
    };
  }
}

/** 404 with one wording everywhere, so that callers cannot tell "someone else's" from "unknown". */
export const notFound = (what: string, options?: ProblemOptions): Problem =>
  new Problem('GENERAL_NOT_FOUND_ERROR', `No such ${what}.`, options);

/** 409. */
export const conflict = (message: string, options?: ProblemOptions): Problem => new Problem('GENERAL_CONFLICT_ERROR', message, options);

/** 429, to be repeated after some seconds. */
export const limitReached = (message: string, seconds: number, options: ProblemOptions = {}): Problem =>
  new Problem('STREAM_USAGE_LIMIT_REACHED', message, { ...options, headers: { 'Retry-After': String(seconds), ...options.headers } });

/** 429 for a count that the caller has reached. Waiting does not help, so there is no `Retry-After`. */
export const countReached = (message: string): Problem => new Problem('STREAM_USAGE_LIMIT_REACHED', message, { title: 'Limit reached' });

/** 503 for a store that is unreachable or cannot write. The caller may retry. */
export const unavailable = (message: string, cause?: unknown): Problem =>
  new Problem('GENERAL_INTERNAL_ERROR', message, { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' }, cause });
