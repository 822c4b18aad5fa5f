import type { ErrorResponse } from './types.ts';

/** An error response of the server, or of its token endpoint (then `name` of the problem is the OAuth error). */
export class TributaryError extends Error {
  override readonly name = 'TributaryError';
  /** Status of the HTTP response. Over a WebSocket, the status that the request would have had. */
  readonly status: number;
  /** Code of the error, such as `GENERAL_NOT_FOUND_ERROR`. */
  readonly internalErrorName: string;
  readonly title: string;
  readonly nestedErrors: readonly ErrorResponse[];
  /** Identifies the request in the server's logs; null if the response had none. */
  readonly correlationId: string | null;
  /** Milliseconds to wait before a retry; null if the server sent no `Retry-After`. */
  readonly retryAfter: number | null;

  constructor(
    problem: ErrorResponse,
    { correlationId = null, retryAfter = null }: { correlationId?: string | null; retryAfter?: number | null } = {},
  ) {
    super(problem.message);
    this.status = problem.statusCode;
    this.internalErrorName = problem.internalErrorName;
    this.title = problem.title;
    this.nestedErrors = problem.nestedErrors;
    this.correlationId = correlationId;
    this.retryAfter = retryAfter;
  }
}

/** Makes the error from a response. A proxy may have replaced its body. */
export const errorOf = async (response: Response): Promise<TributaryError> => {
  const text = await response.text().catch(() => '');
  return new TributaryError(problemOf(text, response), {
    correlationId: response.headers.get('X-Correlation-Id'),
    retryAfter: millisecondsOf(response.headers.get('Retry-After')),
  });
};

const problemOf = (text: string, { status, statusText }: Response): ErrorResponse => {
  const base: Omit<ErrorResponse, 'message'> = {
    statusCode: status,
    title: statusText || `HTTP ${status}`,
    internalErrorName: 'GENERAL_INTERNAL_ERROR',
    nestedErrors: [],
  };
  try {
    const body: unknown = JSON.parse(text);
    if (isProblem(body)) return body;
    if (isTokenError(body))
      return { ...base, message: body.error_description, internalErrorName: 'GENERAL_AUTHENTICATION_ERROR', title: body.error };
  } catch {
    // Not JSON, such as the page of a proxy.
  }
  return { ...base, message: text.slice(0, 500) || base.title };
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isProblem = (body: unknown): body is ErrorResponse =>
  isRecord(body) && typeof body.message === 'string' && typeof body.internalErrorName === 'string' && Array.isArray(body.nestedErrors);

const isTokenError = (body: unknown): body is { error: string; error_description: string } =>
  isRecord(body) && typeof body.error === 'string' && typeof body.error_description === 'string';

const millisecondsOf = (retryAfter: string | null): number | null =>
  retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : null;
