import type { NextFunction, Request } from 'express';
import type { Clock } from '../../clock.ts';
import { notFound } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import { answerProblem } from '../answers/answer.ts';
import { isFailure, problemOf, unforeseen } from '../errors/errors.ts';
import type { ExpressResponse } from './middleware.ts';

export interface ErrorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Answers every error of the middleware before it in the documented shape. */
export const errorAnswers =
  ({ clock, logger }: ErrorOptions) =>
  async (error: unknown, request: Request, response: ExpressResponse, _next: NextFunction): Promise<void> => {
    const { trace, ended } = response.locals;
    // A router cannot decode an id. It cannot exist.
    const known = trace.route === null && error instanceof URIError ? notFound('resource') : error;
    const problem = problemOf(known) ?? unforeseen();
    trace.refusal = problem.internalErrorName;
    trace.failed = isFailure(known);
    if (trace.failed) logger.error({ err: error, correlationId: trace.correlationId }, 'request failed');
    try {
      // An answer that has begun can only be cut off, so that the client notices.
      if (response.headersSent || response.destroyed) response.destroy();
      else await answerProblem(request, response, problem, trace.path, clock);
    } catch (failure) {
      logger.error({ err: failure }, 'writing an answer failed');
      response.destroy();
    } finally {
      ended?.();
    }
  };
