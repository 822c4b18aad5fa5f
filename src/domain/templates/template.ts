import type { JsonSchema, Schema, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { personal, personalOfOldEvents } from '../eventForms.ts';
import { egress, type OperationType } from '../stream/streamConfiguration.ts';

/** The public ProcessorDeclaration resource. */
export interface ProcessorDeclaration {
  id: string;
  displayName: string;
  description: string;
  clusterDomainNameTemplate: string | null;
  podsDiscoveryClusterDomainName: string | null;
  revision: string;
  /** Fully qualified name; the JSON Schema itself is `propertiesJsonSchema`. */
  propertiesSchema: string;
  propertiesJsonSchema: JsonSchema;
  inputSchemas: string[];
  outputSchema: string;
  features: { support: string[]; require: string[]; implement: string[]; requireSupport: string[] };
  operationType: OperationType;
}

/** The name and description of a user's own processor are personal here too, since this is a copy of its declaration. */
const processorDeclaration: Schema<ProcessorDeclaration> = {
  type: 'object',
  properties: { displayName: personalOfOldEvents(s.text), description: personalOfOldEvents(s.text) },
};
const templateProcessor = s.object({
  id: s.id,
  name: personalOfOldEvents(s.text),
  description: personal(s.nullable(s.text)),
  processorDeclaration,
  /** `null` reads the data source. */
  previousProcessorId: s.nullable(s.text),
  propertiesSchema: s.text,
  properties: personalOfOldEvents(s.anyObject),
  destinationTopicMessageHeaders: s.anyObject,
  destinationTopicHeaders: s.anyObject,
  sourceSubscriptionHeaders: s.anyObject,
  /** Alias to a path relative to this processor, such as `properties/language`. */
  patchAliases: s.map(s.text),
  egress,
});
/** The public TemplateProcessor resource. */
export type TemplateProcessor = Shape<typeof templateProcessor>;

export const template = s.object({
  id: s.id,
  name: personalOfOldEvents(s.text),
  description: personal(s.nullable(s.text)),
  version: s.ordinal,
  dataSourceSchema: s.text,
  processors: s.list(templateProcessor),
  /** Alias to a path relative to the template. */
  patchAliases: s.map(s.text),
});
/** The public StreamConfigurationTemplate resource, `version` included. */
export type StreamConfigurationTemplate = Shape<typeof template>;

/** Bytes of a template as JSON, without the declarations that the platform copies into it. */
export const templateBytes = ({ processors, ...rest }: StreamConfigurationTemplate): number => {
  const own = processors.map(({ processorDeclaration: _, ...processor }) => processor);
  return Buffer.byteLength(JSON.stringify({ ...rest, processors: own }));
};
