import { Problem, type ProblemName, type ProblemOptions } from '../../domain/problem.ts';
import type { Shape } from '../../json.ts';
import type { OPENAI_ERROR } from './openAiSchemas.ts';

/** The body of every error answer under `/v1`, as OpenAI documents it. */
export type OpenAiErrorBody = Shape<typeof OPENAI_ERROR>;

interface OpenAiOptions extends ProblemOptions {
  /** The form field or message member at fault. */
  readonly param?: string;
  readonly code?: string;
}

/** A refusal that names the field at fault and an error code of OpenAI. */
export class OpenAiProblem extends Problem {
  readonly param: string | null;
  readonly code: string | null;

  constructor(name: ProblemName, message: string, { param, code, ...options }: OpenAiOptions = {}) {
    super(name, message, options);
    this.param = param ?? null;
    this.code = code ?? null;
  }
}

/** The problem with more headers. */
export const withHeaders = (problem: Problem, headers: Readonly<Record<string, string>>): OpenAiProblem => {
  const { internalErrorName, message, statusCode, title, nested, cause } = problem;
  const own = problem instanceof OpenAiProblem ? problem : null;
  return new OpenAiProblem(internalErrorName, message, {
    statusCode,
    title,
    nested,
    cause,
    headers: { ...problem.headers, ...headers },
    ...(own?.param != null && { param: own.param }),
    ...(own?.code != null && { code: own.code }),
  });
};

/** 400 for an invalid form field or message member. */
export const invalidField = (param: string, message: string, code = 'invalid_value'): OpenAiProblem =>
  new OpenAiProblem('GENERAL_VALIDATION_ERROR', message, { param, code });

export const modelNotFound = (model: string): OpenAiProblem =>
  new OpenAiProblem(
    'GENERAL_NOT_FOUND_ERROR',
    `The model ${JSON.stringify(model.slice(0, 200))} does not exist. GET /v1/models lists the models.`,
    {
      param: 'model',
      code: 'model_not_found',
    },
  );

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'unknown_url',
  405: 'method_not_supported',
  408: 'request_timeout',
  413: 'request_too_large',
  415: 'unsupported_content_type',
  429: 'rate_limit_exceeded',
  503: 'service_unavailable',
  504: 'timeout',
};

const typeOf = (status: number): string => {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** A refusal in OpenAI's shape; OpenAI's clients choose their exception by the status. */
export const openAiError = (problem: Problem, status = problem.statusCode): OpenAiErrorBody => {
  const own = problem instanceof OpenAiProblem ? problem : null;
  return { error: { message: problem.message, type: typeOf(status), param: own?.param ?? null, code: own?.code ?? CODES[status] ?? null } };
};
