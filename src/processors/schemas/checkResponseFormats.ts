import { Problem } from '../../domain/problem.ts';
import { declarationOf } from '../../domain/templates/declarations.ts';
import { type ResponseFormat, responseFormatsOf } from '../../domain/templates/responseFormats.ts';
import type { TemplateProcessor } from '../../domain/templates/template.ts';
import type { JsonObject } from '../../json.ts';
import type { CallerSchemas, CompileVerdict } from './callerSchemas.ts';

const refusalOf = ({ processorId, pointer }: ResponseFormat, verdict: CompileVerdict): Problem | null => {
  const at = `${processorId}: ${pointer}`;
  switch (verdict.is) {
    case 'usable':
      return null;
    case 'costly':
      return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${at} cannot be used: ${verdict.reason}.`);
    case 'unusable':
      return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${at} is not a JSON Schema as text: ${verdict.reason}`);
  }
};

/**
 * Checks the callers' schemas of a template: compiles the response formats, and checks the properties of users' own processors. Rejects with
 * STREAM_CONFIGURATION_BAD_TEMPLATE for more than 20 formats, and PROCESSOR_PROPERTIES_VALIDATION_ERROR for a schema that is invalid or too costly and
 * for properties that do not match.
 */
export const checkResponseFormats = async (
  schemas: CallerSchemas,
  { processors }: { readonly processors: readonly TemplateProcessor[] },
  owner: string,
): Promise<void> => {
  for (const format of responseFormatsOf(processors)) {
    const refusal = refusalOf(format, await schemas.compile(format.schema, owner));
    if (refusal) throw refusal;
  }
  for (const processor of processors)
    if (!declarationOf(processor.processorDeclaration.id)) await checkOwnProperties(schemas, processor, owner);
};

const checkOwnProperties = async (
  schemas: CallerSchemas,
  { id, properties, processorDeclaration }: TemplateProcessor,
  owner: string,
): Promise<void> => {
  // Safe cast: received and stored as JSON.
  const schema = processorDeclaration.propertiesJsonSchema as JsonObject;
  const verdict = await schemas.validate(schema, properties, owner, { remember: true });
  if (verdict.is === 'fits') return;
  if (verdict.is !== 'misfit') {
    const refusal = refusalOf({ processorId: id, pointer: 'propertiesJsonSchema', schema }, verdict);
    throw refusal ?? new Error('a refusal refuses');
  }
  const nested = verdict.findings.map(
    ({ path, message }) => new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${id}: ${path || '/'} ${message}`.slice(0, 500)),
  );
  throw new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', nested[0]?.message ?? `${id}: bad properties`, { nested });
};
