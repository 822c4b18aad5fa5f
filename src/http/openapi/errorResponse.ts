import { PROBLEM_NAMES } from '../../domain/problem.ts';
import * as s from '../../schema.ts';

/** The body of every refusal (`docs/guides/http.md`, "Errors"). */
export const ERROR_RESPONSE = s.named(
  'ErrorResponse',
  s.resource({
    statusCode: { type: 'integer', format: 'int32', minimum: 100, maximum: 599 },
    title: s.text,
    message: { type: 'string', description: 'What went wrong, and what to do next.' },
    internalErrorName: { title: 'InternalErrorName', type: 'string', enum: [...PROBLEM_NAMES] },
    nestedErrors: s.list({ $ref: '#/components/schemas/ErrorResponse' }),
  }),
);
