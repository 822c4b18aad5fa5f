import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { DECLARATIONS } from '../../../src/domain/templates/declarations.ts';

// At run time they are trusted (`OWN_SCHEMAS`); test/e2e/openapi.test.ts and asyncapi.test.ts check those of the interface.
test.each([
  ...Object.entries(EVENT_SCHEMAS).map(([type, { schema }]) => [type, schema] as const),
  ...DECLARATIONS.map(({ id, propertiesJsonSchema }) => [id, propertiesJsonSchema] as const),
])('%s has a valid JSON Schema', (_, schema) => {
  const ajv = new Ajv2020();
  expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
});
