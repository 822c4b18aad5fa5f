import type { OperationType } from '../stream/streamConfiguration.ts';
import type { StreamConfigurationTemplate } from './template.ts';

/** A template in memory, without its content, which is read from the log. */
export interface KeptTemplate {
  readonly version: number;
  readonly name: string;
  readonly operations: readonly OperationType[];
}

export const keptOf = (template: StreamConfigurationTemplate): KeptTemplate => ({
  version: template.version,
  name: template.name,
  operations: uploadOperations(template),
});

/** Operation types of the processors that read the upload. */
export const uploadOperations = ({ processors }: StreamConfigurationTemplate): OperationType[] =>
  processors.flatMap(({ previousProcessorId, processorDeclaration }) =>
    previousProcessorId === null ? [processorDeclaration.operationType] : [],
  );
