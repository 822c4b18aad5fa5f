import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { beforeRedaction, REDACTION } from '../stream/redaction.ts';
import { BUILTIN_TEMPLATES, processor, sameNamed } from './builtinTemplates.ts';
import { pathSegments, type RequestedPatch } from './patches.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

/** The stage that joins a built-in chain. */
const STAGE = processor({
  id: REDACTION,
  name: 'Redaction',
  declarationId: REDACTION,
  patchAliases: {
    redact: 'properties/kinds',
    redactPatterns: 'properties/patterns',
    redactRegion: 'properties/region',
    ...sameNamed('keepMedia'),
  },
});

/** Aliases of the stage, for streams whose template has none. */
export const REDACTION_ALIASES = STAGE.patchAliases;

const isAsked = ({ path }: RequestedPatch): boolean => {
  const [root, name] = pathSegments(path);
  return Object.hasOwn(REDACTION_ALIASES, path.startsWith('/') ? path.slice(1) : path) || (root === 'processors' && name === REDACTION);
};

const isTranscription = ({ processorDeclaration }: TemplateProcessor): boolean =>
  processorDeclaration.outputSchema === MESSAGE_SCHEMAS.transcription;

/**
 * The template, with redaction if it is a built-in one with a transcription and one of the patches asks for it. The stage reads the last
 * transcription, and what read that reads the stage. It is the last item, so that indexes in other patches stay.
 */
export const withRedaction = (template: StreamConfigurationTemplate, patches: readonly RequestedPatch[]): StreamConfigurationTemplate => {
  const { id, processors } = template;
  if (!BUILTIN_TEMPLATES.some((one) => one.id === id) || processors.some((one) => one.id === REDACTION)) return template;
  const last = processors.findLast(isTranscription);
  if (!last || !patches.some(isAsked)) return template;
  const readers = processors.map((one) => (one.previousProcessorId === last.id ? { ...one, previousProcessorId: REDACTION } : one));
  return { ...template, processors: [...readers, { ...STAGE, previousProcessorId: last.id }] };
};

/** Ids of the processors of a template before those that redact. */
export const stagesBeforeRedaction = ({ processors }: StreamConfigurationTemplate): ReadonlySet<string> =>
  beforeRedaction(
    processors.map(({ id, previousProcessorId, processorDeclaration }) => ({
      processorId: id,
      previousProcessorId,
      declarationId: processorDeclaration.id,
    })),
  );
