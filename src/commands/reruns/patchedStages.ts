import { conflict } from '../../domain/problem.ts';
import { asProcessorDeclaration, parseVersionName } from '../../domain/processorDeclarations/declaration.ts';
import { runsOf } from '../../domain/stream/attempts.ts';
import { REDACTION } from '../../domain/stream/redaction.ts';
import { checkConfigurationSize, configurationMaxBytes } from '../../domain/stream/resolveConfiguration.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { declarationOf } from '../../domain/templates/declarations.ts';
import { patchesOfMap } from '../../domain/templates/patches.ts';
import { patchedTemplate } from '../../domain/templates/patchTemplate.ts';
import { REDACTION_ALIASES } from '../../domain/templates/redactionStage.ts';
import type { VisibleTemplate } from '../../domain/templates/state.ts';
import type { ProcessorDeclaration, StreamConfigurationTemplate, TemplateProcessor } from '../../domain/templates/template.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { declarationVersion, locateDeclaration } from '../processorDeclarations.ts';
import { withSavedVocabularies } from '../vocabularies.ts';

export interface PatchingDeps {
  readonly log: EventLog;
  readonly limits: Limits;
  readonly templates: { find(subject: string, id: string, version?: number): Promise<VisibleTemplate | null> };
  /** Rejects if a named stage cannot run: 400 or 429 for its response formats, 503 without an engine. */
  readonly checkStages: (processors: readonly TemplateProcessor[], stages: ReadonlySet<string>, owner: string) => Promise<void>;
}

/**
 * Properties of the stages of a rerun: those of the upload with this rerun's patches. Throws the 400s of a patch, also for one that changes only
 * stages outside the rerun, 404 for an unknown vocabulary, and 503 for a stage without an engine.
 */
export const patchedStages = async (
  deps: PatchingDeps,
  aggregate: StreamAggregate,
  stages: ReadonlySet<string>,
  patches: Readonly<Record<string, Json>>,
): Promise<Map<string, JsonObject>> => {
  const template = await templateOf(deps, aggregate);
  const inPatches = patchedTemplate(template, patchesOfMap(patches), (id) => stages.has(id));
  const patched = await withSavedVocabularies(deps.log, aggregate.stream.creatorId, inPatches);
  checkConfigurationSize(patched, configurationMaxBytes(template, deps.limits));
  const { processors } = patched;
  await deps.checkStages(processors, stages, aggregate.stream.creatorId);
  return new Map(processors.filter(({ id }) => stages.has(id)).map(({ id, properties }) => [id, properties]));
};

/** The stream's template with the properties of its upload. If the template was deleted, only paths remain, without aliases. */
const templateOf = async ({ templates, log }: PatchingDeps, aggregate: StreamAggregate): Promise<StreamConfigurationTemplate> => {
  const { stream, templateVersion, chain } = aggregate;
  const { streamConfigurationTemplateId: id, dataSource, processors } = stream.configuration;
  const found = await templates.find(stream.creatorId, id, templateVersion);
  const pinned = await pinnedDeclarations(log, aggregate);
  const built = processors.map((processor): TemplateProcessor => {
    const original = found?.template.processors.find((one) => one.id === processor.id);
    const link = chain.find(({ processorId }) => processorId === processor.id);
    const declaration = pinned.get(processor.id) ?? original?.processorDeclaration ?? declarationOf(link?.declarationId ?? '');
    if (!declaration) throw conflict(`The processor ${link?.declarationId} of ${processor.id} no longer exists.`);
    return {
      id: processor.id,
      name: processor.id,
      description: null,
      processorDeclaration: declaration,
      previousProcessorId: link?.previousProcessorId ?? null,
      propertiesSchema: processor.propertiesSchema,
      // A rerun's patches change that rerun only.
      properties: runsOf(aggregate, processor.id).at(-1)?.processor.properties ?? {},
      destinationTopicMessageHeaders: {},
      destinationTopicHeaders: {},
      sourceSubscriptionHeaders: {},
      patchAliases: original?.patchAliases ?? (link?.declarationId === REDACTION ? REDACTION_ALIASES : {}),
      egress: processor.egress,
    };
  });
  return {
    id,
    name: id,
    description: null,
    version: templateVersion,
    dataSourceSchema: dataSource.messageSchema,
    processors: built,
    patchAliases: found?.template.patchAliases ?? {},
  };
};

/** The versions of the user's own processors that the stream started with, by stage. */
const pinnedDeclarations = async (log: EventLog, { stream, chain }: StreamAggregate): Promise<Map<string, ProcessorDeclaration>> => {
  const pinned = new Map<string, ProcessorDeclaration>();
  for (const { processorId, declarationId } of chain) {
    const named = parseVersionName(declarationId);
    const located = named && (await locateDeclaration(log, stream.creatorId, named.id));
    const declaration = located && (await declarationVersion(log, stream.creatorId, located, named.version));
    if (declaration) pinned.set(processorId, asProcessorDeclaration(declaration));
  }
  return pinned;
};
