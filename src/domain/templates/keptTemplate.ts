import { weightOf } from '../../weight.ts';
import type { OperationType } from '../stream/streamConfiguration.ts';
import { declarationOf } from './declarations.ts';
import type { StreamConfigurationTemplate } from './template.ts';

/** A template in memory, without its content, which is read from the log: all templates of a user may take 32 MiB. */
export interface KeptTemplate {
  readonly version: number;
  readonly name: string;
  /** Bytes of memory that its content takes. */
  readonly weight: number;
  readonly operations: readonly OperationType[];
}

export const keptOf = (template: StreamConfigurationTemplate): KeptTemplate => ({
  version: template.version,
  name: template.name,
  weight: templateWeight(template),
  operations: uploadOperations(template),
});

/** Operation types of the processors that read the upload. */
export const uploadOperations = ({ processors }: StreamConfigurationTemplate): OperationType[] =>
  processors.flatMap(({ previousProcessorId, processorDeclaration }) =>
    previousProcessorId === null ? [processorDeclaration.operationType] : [],
  );

/** Includes the declarations of users' own processors. Those of the platform are shared by all templates. */
export const templateWeight = ({ processors, ...rest }: StreamConfigurationTemplate): number => {
  const declarations = processors.map(({ processorDeclaration }) =>
    declarationOf(processorDeclaration.id) ? 0 : weightOf(processorDeclaration),
  );
  const others = processors.map(({ processorDeclaration: _, ...processor }) => weightOf(processor));
  return [...declarations, ...others].reduce((sum, weight) => sum + weight, weightOf(rest));
};
