import { Problem } from '../domain/problem.ts';
import type { TemplateProcessor } from '../domain/templates/template.ts';
import type { Upstream } from './processor.ts';
import type { Processors } from './registry.ts';
import type { CallerSchemas } from './schemas/callerSchemas.ts';
import { checkResponseFormats } from './schemas/checkResponseFormats.ts';

/** The kinds of processors on this deployment. */
export type ProcessorsById = Pick<Processors, 'get'>;

/** Why stages cannot run on this server, and which settings would help; `null` if they can. `only`: the stages to run; default all. */
export const missingEngines = async (
  registry: ProcessorsById,
  stages: readonly TemplateProcessor[],
  only: ReadonlySet<string> = new Set(stages.map(({ id }) => id)),
): Promise<string | null> => {
  const reasons = await Promise.all(
    stages
      .filter(({ id }) => only.has(id))
      .map((stage) => {
        const { processorDeclaration, properties } = stage;
        const processor = registry.get(processorDeclaration.id);
        return processor
          ? processor.unavailable(properties, upstreamOf(stages, stage))
          : `No engine on this server can run the processor ${processorDeclaration.id}.`;
      }),
  );
  const missing = reasons.filter((reason) => reason !== null);
  return missing.length > 0 ? missing.join(' ') : null;
};

/** Throws 503 PROCESSOR_FAILED_RESERVATION_ERROR with the result of `missingEngines`. */
export const checkEngines = async (
  registry: ProcessorsById,
  stages: readonly TemplateProcessor[],
  only?: ReadonlySet<string>,
): Promise<void> => {
  const missing = await missingEngines(registry, stages, only);
  if (missing !== null) throw new Problem('PROCESSOR_FAILED_RESERVATION_ERROR', missing, { headers: { 'Retry-After': '60' } });
};

/** For reruns: checks that some stages of a chain can run. Rejects like `checkResponseFormats` and `checkEngines`. */
export const stageCheck =
  (registry: ProcessorsById, schemas: CallerSchemas) =>
  async (processors: readonly TemplateProcessor[], stages: ReadonlySet<string>, owner: string): Promise<void> => {
    await checkResponseFormats(schemas, { processors: processors.filter(({ id }) => stages.has(id)) }, owner);
    await checkEngines(registry, processors, stages);
  };

/** The processors before a processor, nearest first. */
const upstreamOf = (processors: readonly TemplateProcessor[], { previousProcessorId }: TemplateProcessor): Upstream[] => {
  const upstream: Upstream[] = [];
  for (let id = previousProcessorId; id !== null && upstream.length < processors.length; ) {
    const before = processors.find((other) => other.id === id);
    if (!before) break;
    upstream.push({ declarationId: before.processorDeclaration.id, properties: before.properties });
    id = before.previousProcessorId;
  }
  return upstream;
};
