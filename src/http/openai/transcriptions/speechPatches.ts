import type { RequestedPatch } from '../../../domain/templates/patches.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from '../../../domain/templates/template.ts';
import type { Json } from '../../../json.ts';
import { OpenAiProblem } from '../../errors/openAiErrors.ts';
import type { SpeechRequest } from './speechRequest.ts';

/**
 * The patches that apply a request to a template. A transcriber gets the properties that its schema has; the others are dropped. Throws 503 for a
 * translation if no transcriber translates.
 */
export const speechPatches = (template: StreamConfigurationTemplate, request: SpeechRequest): RequestedPatch[] => {
  const { task, language, vocabulary, temperature } = request;
  const transcribers = template.processors.filter(
    ({ processorDeclaration }) => processorDeclaration.operationType === 'BATCH_TRANSCRIPTION',
  );
  if (task === 'translate' && !transcribers.every((processor) => hasProperty(processor, 'task'))) throw noTranslation();
  const languages = typeof language === 'string' || language === null ? language : [...language];
  const wanted = { language: languages, vocabulary, temperature, task: task === 'translate' ? task : null };
  return patchesOf(transcribers, wanted);
};

/** Gives each processor the wanted properties that its schema has. `null` is not wanted. */
export const patchesOf = (processors: readonly TemplateProcessor[], wanted: Readonly<Record<string, Json>>): RequestedPatch[] =>
  processors.flatMap((processor) =>
    Object.entries(wanted)
      .filter(([name, value]) => value !== null && hasProperty(processor, name))
      .map(([name, value]) => ({ op: 'add', path: `processors/${processor.id}/properties/${name}`, value, coerce: false })),
  );

const hasProperty = ({ processorDeclaration }: TemplateProcessor, name: string): boolean => {
  const { properties } = processorDeclaration.propertiesJsonSchema;
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
};

const noTranslation = (): OpenAiProblem =>
  new OpenAiProblem('PROCESSOR_FAILED_RESERVATION_ERROR', 'This server cannot translate: it needs a Whisper model or TRANSCRIBER_URL.', {
    param: 'model',
    headers: { 'x-should-retry': 'false' },
  });
