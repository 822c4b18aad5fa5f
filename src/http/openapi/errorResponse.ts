import { PROBLEM_NAMES } from '../../domain/problem.ts';
import { listOf, named, resource, text } from '../input/jsonSchemas.ts';

/** The body of every refusal (`docs/guides/http.md`, "Errors"). */
export const ERROR_RESPONSE = named(
  'ErrorResponse',
  resource({
    statusCode: { type: 'integer', format: 'int32', minimum: 100, maximum: 599 },
    title: text,
    message: { type: 'string', description: 'What went wrong, and what to do next.' },
    internalErrorName: { title: 'InternalErrorName', type: 'string', enum: [...PROBLEM_NAMES] },
    nestedErrors: listOf({ $ref: '#/components/schemas/ErrorResponse' }),
  }),
);
