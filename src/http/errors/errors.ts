import { conflict, Problem, unavailable } from '../../domain/problem.ts';
import { AppendTooLarge, DamagedEventStream, StoreUnavailable, WrongExpectedRevision } from '../../stores/eventStore.ts';
import { BrokenOff } from '../../stores/pump.ts';
import { openAiError } from './openAiErrors.ts';
import { isOpenAiPath } from './openAiPath.ts';

/** The body of an error answer, in the shape that clients of the path expect. `status` overrides the problem's own. */
export const errorBody = (problem: Problem, path: string, status = problem.statusCode): object =>
  isOpenAiPath(path) ? openAiError(problem, status) : { ...problem.toResponse(), statusCode: status };

export const badRequest = (message: string, headers: Readonly<Record<string, string>> = {}): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', message, { headers });

/** 400 for an upload without bytes. Its title lets `tributary transcribe` tell it from others. */
export const emptyBody = (): Problem => badRequest('The body is empty. Send the bytes to upload.');

/** For a request whose client does not wait for the answer any more. */
export const connectionClosed = (): Problem => badRequest('The client has closed the connection.');

/** 401 with the challenge that HTTP requires. `failure` is the `error` member of RFC 6750, if a token was presented. */
export const unauthenticated = (message: string, failure?: 'invalid_token', limit: Readonly<Record<string, string>> = {}): Problem =>
  new Problem('GENERAL_AUTHENTICATION_ERROR', message, {
    headers: { 'WWW-Authenticate': `Bearer realm="tributary"${failure ? `, error="${failure}"` : ''}`, ...limit },
  });

export const forbidden = (message: string): Problem => new Problem('GENERAL_AUTHORIZATION_ERROR', message);

export const unknownPath = (): Problem =>
  new Problem('GENERAL_NOT_FOUND_ERROR', 'This path does not exist. /openapi.json lists all paths.');

export const wrongMethod = (allow: string): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `This path allows ${allow}.`, {
    statusCode: 405,
    title: 'Method not allowed',
    headers: { Allow: allow },
  });

export const tooLarge = (limitBytes: number): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `The body is larger than ${limitBytes} bytes.`, { statusCode: 413, title: 'Too large' });

export const unsupportedType = (accepted: string, headers: Readonly<Record<string, string>> = {}): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `The body must be ${accepted}.`, { statusCode: 415, title: 'Unsupported media type', headers });

/** 415 with the accepted codings (RFC 9110, 12.5.3), of which there are none. */
export const unsupportedEncoding = (): Problem => unsupportedType('sent without a content encoding', { 'Accept-Encoding': 'identity' });

/** 501: RFC 9112, 6.1. */
export const unknownTransferCoding = (): Problem =>
  new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    'The only supported transfer coding is chunked. Send the body without another Transfer-Encoding.',
    {
      statusCode: 501,
      title: 'Not implemented',
    },
  );

export const tooSlow = (): Problem =>
  new Problem('GENERAL_TIME_OUT_ERROR', 'The request did not arrive in time. Send it again.', { statusCode: 408 });

/** The problem for the caller. `null` for an unexpected error: it is logged and answered with `unforeseen`, which reveals nothing about it. */
export const problemOf = (error: unknown): Problem | null => {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) return unavailable('A store is unavailable or cannot write at the moment. Try again.', error);
  if (error instanceof DamagedEventStream)
    return new Problem('GENERAL_INTERNAL_ERROR', error.message, { statusCode: 503, title: 'Damaged event stream', cause: error });
  if (error instanceof WrongExpectedRevision) return conflict('Another request changed this resource. Read it again and retry.');
  if (error instanceof AppendTooLarge) return tooLarge(1_048_576);
  if (error instanceof BrokenOff) return badRequest(error.message);
  return null;
};

/**
 * Whether an operator has to act: the error is unexpected, a store is away, or an event stream is damaged. Everything else is a refusal, whatever
 * its status.
 */
export const isFailure = (error: unknown): boolean => {
  const problem = problemOf(error);
  return problem === null || problem.cause instanceof StoreUnavailable || problem.cause instanceof DamagedEventStream;
};

export const unforeseen = (): Problem =>
  new Problem('GENERAL_INTERNAL_ERROR', 'Internal error. The server log has the details under the correlation id of this answer.');
