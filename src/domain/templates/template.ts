import type { JsonObject, JsonSchema } from '../../json.ts';
import type { Egress, OperationType } from '../stream/streamConfiguration.ts';

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

/** The public TemplateProcessor resource. */
export interface TemplateProcessor {
  id: string;
  name: string;
  description: string | null;
  processorDeclaration: ProcessorDeclaration;
  /** `null` reads the data source. */
  previousProcessorId: string | null;
  propertiesSchema: string;
  properties: JsonObject;
  destinationTopicMessageHeaders: JsonObject;
  destinationTopicHeaders: JsonObject;
  sourceSubscriptionHeaders: JsonObject;
  /** Alias to a path relative to this processor, such as `properties/language`. */
  patchAliases: Record<string, string>;
  egress: Egress;
}

/** The public StreamConfigurationTemplate resource, `version` included. */
export interface StreamConfigurationTemplate {
  id: string;
  name: string;
  description: string | null;
  version: number;
  dataSourceSchema: string;
  processors: TemplateProcessor[];
  /** Alias to a path relative to the template. */
  patchAliases: Record<string, string>;
}
