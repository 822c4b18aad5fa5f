import type { NextFunction, Request } from 'express';
import type { Clock } from '../../clock.ts';
import { notFound } from '../../domain/problem.ts';
import { answerProblem } from '../answers/answer.ts';
import { isFailure, problemOf, unforeseen } from '../errors/errors.ts';
import type { ExpressResponse } from './middleware.ts';

/** Answers every error of the middleware before it in the documented shape. */
export const errorAnswers =
  ({ clock }: { readonly clock: Clock }) =>
  async (error: unknown, request: Request, response: ExpressResponse, _next: NextFunction): Promise<void> => {
    const { trace, ended } = response.locals;
    // A router cannot decode an id. It cannot exist.
    const known = trace.route === null && error instanceof URIError ? notFound('resource') : error;
    const problem = problemOf(known) ?? unforeseen();
    trace.refusal = problem.internalErrorName;
    trace.failed = isFailure(known);
    if (trace.failed) request.log.error({ err: error }, 'request failed');
    try {
      // An answer that has begun can only be cut off, so that the client notices.
      if (response.headersSent || response.destroyed) response.destroy();
      else await answerProblem(request, response, problem, trace.path, clock);
    } catch (failure) {
      request.log.error({ err: failure }, 'writing an answer failed');
      response.destroy();
    } finally {
      ended?.();
    }
  };
