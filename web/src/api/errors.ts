import type { ErrorResponse } from './types.ts';

/** A refusal or a failure, in words for a person. `reference` is the correlation id, by which the operator finds the request in the log. */
export class ApiError extends Error {
  /** 0: there was no answer at all. */
  readonly status: number;
  readonly problem: ErrorResponse | null;
  readonly reference: string | null;

  constructor(status: number, message: string, problem: ErrorResponse | null = null, reference: string | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.problem = problem;
    this.reference = reference;
  }
}

/** The error in an unsuccessful answer. */
export const errorOf = async (response: Response): Promise<ApiError> => {
  const reference = response.headers.get('X-Correlation-Id');
  const body: unknown = await response.json().catch(() => null);
  return errorOfBody(response.status, body, reference);
};

/** The same for a body that has already been read. */
export const errorOfBody = (status: number, body: unknown, reference: string | null): ApiError => {
  if (isErrorResponse(body)) return new ApiError(status, body.message, body, reference);
  return new ApiError(status, tokenRefusal(body) ?? `The server answered with status ${status}.`, null, reference);
};

/** There was no answer. */
export const unreachable = (): ApiError => new ApiError(0, 'The server is unreachable.');

/**
 * `fetch` that rejects with `ApiError` if there is no answer, or with the signal's reason. By default without the browser's own credentials: otherwise
 * it would answer the token endpoint's `WWW-Authenticate: Basic` with its own login window.
 */
export const reach = async (path: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(path, { credentials: 'omit', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
};

const isErrorResponse = (body: unknown): body is ErrorResponse =>
  typeof body === 'object' && body !== null && 'internalErrorName' in body && 'message' in body && 'nestedErrors' in body;

/** The token endpoint has a form of its own. */
const tokenRefusal = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'error_description' in body ? String(body.error_description) : null;

/** What to do next, by kind of error. */
export const adviceOf = ({ status, problem }: ApiError): string => {
  if (status === 0) return 'Check that it is running and that you are online, then try again.';
  if (status === 400) return 'Correct the values named above and try again.';
  if (status === 401) return 'Sign in with a valid credential. Administrators issue them.';
  if (status === 403) return 'Ask an administrator for a credential with the role this needs.';
  if (status === 404) return 'It may have been deleted, or belong to another owner.';
  if (status === 409) return 'It has changed. Reload the page and try again.';
  if (status === 410) return 'The data are no longer kept. Upload them again if you still need them.';
  if (status === 413) return 'Send a smaller file, or ask the operator to raise UPLOAD_MAX_BYTES.';
  if (status === 415) return 'Choose a file in one of the formats that the upload form names.';
  if (status === 429) return 'Wait a moment, then try again.';
  if (status === 503 && problem?.internalErrorName === 'PROCESSOR_FAILED_RESERVATION_ERROR')
    return 'Ask the operator to install or configure the engine that this template needs.';
  if (status === 503 || status === 504) return 'This is usually temporary. Try again in a moment.';
  return 'Try again. If it happens again, give the reference to the operator, who finds it in the server log.';
};
