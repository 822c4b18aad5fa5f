import { conflict } from '../domain/problem.ts';
import { asProcessorDeclaration, fitsInput } from '../domain/processorDeclarations/declaration.ts';
import type { ChainLink } from '../domain/stream/streamConfiguration.ts';
import { declarationOf } from '../domain/templates/declarations.ts';
import type { ProcessorDeclaration, StreamConfigurationTemplate, TemplateProcessor } from '../domain/templates/template.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type FoundDeclaration, findDeclaration } from './processorDeclarations.ts';

/** Whether each of the users' own processors in a template is live or batch, by declaration id. */
export type DeclaredModes = ReadonlyMap<string, ChainLink['mode']>;

export interface NewestTemplate {
  readonly template: StreamConfigurationTemplate;
  readonly modes: DeclaredModes;
}

/**
 * The template with the newest version of each of the user's own processors. Rejects with 409 if one was deleted or its newest version no longer
 * fits its neighbours.
 */
export const withNewestDeclarations = async (
  log: EventLog,
  subject: string,
  template: StreamConfigurationTemplate,
): Promise<NewestTemplate> => {
  const modes = new Map<string, ChainLink['mode']>();
  // Stages of the same processor share one copy.
  const declarations = new Map<string, ProcessorDeclaration>();
  const processors = [...template.processors];
  for (const [n, processor] of processors.entries()) {
    const { id } = processor.processorDeclaration;
    if (declarationOf(id)) continue;
    if (!declarations.has(id)) {
      const newest = await newestOf(log, subject, processor);
      modes.set(id, newest.mode);
      declarations.set(id, asProcessorDeclaration(newest));
    }
    const declaration = declarations.get(id) ?? processor.processorDeclaration;
    processors[n] = { ...processor, processorDeclaration: declaration, propertiesSchema: declaration.propertiesSchema };
  }
  if (modes.size === 0) return { template, modes };
  checkInputs(template.dataSourceSchema, processors);
  return { template: { ...template, processors }, modes };
};

const newestOf = async (
  log: EventLog,
  subject: string,
  { id, processorDeclaration: { id: declarationId, displayName } }: TemplateProcessor,
): Promise<FoundDeclaration['newest']> => {
  const found = await findDeclaration(log, subject, declarationId);
  if (!found || found.history.deleted)
    throw conflict(`The processor ${displayName || declarationId} of ${id} has been deleted. Declare it again and change the template.`);
  return found.newest;
};

/** Throws 409 if a stage no longer accepts the output before it: versions of a declaration may change its schemas. */
const checkInputs = (source: string, processors: readonly TemplateProcessor[]): void => {
  for (const { id, previousProcessorId, processorDeclaration: declaration } of processors) {
    const before = processors.find((other) => other.id === previousProcessorId);
    const input = before ? before.processorDeclaration.outputSchema : source;
    if (fitsInput(declaration.inputSchemas, input)) continue;
    const given = before ? `${before.id} (version ${before.processorDeclaration.revision}) gives` : 'the upload is';
    throw conflict(
      `The stage ${id} (version ${declaration.revision}) takes ${declaration.inputSchemas.join(' or ')}, but ${given} ${input}. Declare a version that fits, or change the template.`,
    );
  }
};
