import { Problem } from '../../domain/problem.ts';
import { type ResponseFormat, responseFormatsOf } from '../../domain/templates/responseFormats.ts';
import type { TemplateProcessor } from '../../domain/templates/template.ts';
import type { CallerSchemas, CompileVerdict } from './callerSchemas.ts';

const refusalOf = ({ processorId, pointer }: ResponseFormat, verdict: CompileVerdict): Problem | null => {
  const at = `${processorId}: ${pointer}`;
  switch (verdict.is) {
    case 'usable':
      return null;
    case 'throttled':
      return new Problem('STREAM_USAGE_LIMIT_REACHED', 'Your JSON Schemas have used their share of processing time. Try again later.', {
        headers: { 'Retry-After': String(verdict.retryAfterSeconds) },
      });
    case 'costly':
      return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${at} cannot be used: ${verdict.reason}.`);
    case 'unusable':
      return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${at} is not a JSON Schema as text: ${verdict.reason}`);
  }
};

/**
 * Compiles the response formats of a template, within one request's CPU budget. Rejects with STREAM_CONFIGURATION_BAD_TEMPLATE for more than
 * 20, PROCESSOR_PROPERTIES_VALIDATION_ERROR for one that cannot be used or costs too much, and 429 when the owner's CPU allowance is used up.
 */
export const checkResponseFormats = async (
  schemas: CallerSchemas,
  { processors }: { readonly processors: readonly TemplateProcessor[] },
  owner: string,
): Promise<void> => {
  const budget = schemas.budget(owner);
  for (const format of responseFormatsOf(processors)) {
    const refusal = refusalOf(format, await schemas.compile(format.schema, budget));
    if (refusal) throw refusal;
  }
};
