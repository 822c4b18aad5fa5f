import type { JsonObject } from '../../json.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { declarationOf } from './declarations.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './template.ts';

/** The templates that everybody sees, as the platform ships them (their version 1). Their ids and aliases are part of the public interface. */

/** Aliases named like their pointer below the processor's `properties`. */
export const sameNamed = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `properties/${name}`]));

const promptAliases = (n: number): Record<string, string> => ({
  [`ask${n}`]: `properties/askAnything/${n}/content`,
  [`ask${n}System`]: `properties/askAnything/${n}/systemPrompt`,
  [`ask${n}Id`]: `properties/askAnything/${n}/promptId`,
  [`ask${n}Format`]: `properties/askAnything/${n}/responseFormat/specification`,
});

interface ProcessorParts {
  id: string;
  name: string;
  declarationId: string;
  properties?: JsonObject;
  patchAliases?: Record<string, string>;
}

/** Every processor of a built-in template is a sink with the tag `main`: without it an export would contain no transcription. */
export const processor = ({ id, name, declarationId, properties, patchAliases }: ProcessorParts): TemplateProcessor => {
  const declaration = declarationOf(declarationId);
  if (!declaration) throw new Error(`no declaration ${declarationId}`);
  return {
    id,
    name,
    description: declaration.description,
    processorDeclaration: declaration,
    previousProcessorId: null,
    propertiesSchema: declaration.propertiesSchema,
    properties: properties ?? {},
    destinationTopicMessageHeaders: {},
    destinationTopicHeaders: {},
    sourceSubscriptionHeaders: {},
    patchAliases: patchAliases ?? {},
    egress: { persist: false, sink: true, tags: [id, 'main'] },
  };
};

const echo = processor({ id: 'echo', name: 'Echo', declarationId: 'echo' });

const transcriber = processor({
  id: 'transcriber',
  name: 'Transcription',
  declarationId: 'batch-transcriber',
  properties: { vad: true, noSpeechThreshold: 0.5, splitStereo: false },
  patchAliases: sameNamed('language', 'vad', 'noSpeechThreshold', 'splitStereo', 'model', 'vocabulary', 'task'),
});

const romanianTranscriber = processor({
  id: 'transcriber',
  name: 'Romanian transcription',
  declarationId: 'romanian-transcriber',
  properties: { disfluencies: false, punctuationCapitalization: true, numeralsConversion: true, splitStereo: false, findReplace: true },
  patchAliases: sameNamed(
    'disfluencies',
    'punctuationCapitalization',
    'numeralsConversion',
    'splitStereo',
    'findReplace',
    'model',
    'vocabulary',
  ),
});

const liveTranscriber = processor({
  id: 'transcriber',
  name: 'Real-time transcription',
  declarationId: 'realtime-transcriber',
  properties: { language: 'en', multichannel: false, utteranceEndSilence: 1000 },
  patchAliases: {
    ...sameNamed('language', 'multichannel', 'encoding', 'sampleRate', 'channels', 'model', 'vocabulary'),
    utteranceEnd: 'properties/utteranceEndSilence',
  },
});

const diarization = processor({
  id: 'diarization',
  name: 'Speaker diarization',
  declarationId: 'speaker-diarization',
  patchAliases: sameNamed('speakersNumber', 'minSpeakersNumber', 'maxSpeakersNumber'),
});

const llm = processor({
  id: 'llm',
  name: 'Text intelligence',
  declarationId: 'llm',
  properties: {
    summary: { enabled: false, properties: { length: 'brief', tone: 'conversational', structure: 'paragraphs' } },
    sentimentAnalysis: { enabled: false },
    askAnything: {},
    enhancedTranscription: { enabled: false, model: 'standard' },
  },
  patchAliases: {
    summary: 'properties/summary/enabled',
    summaryLength: 'properties/summary/properties/length',
    summaryTone: 'properties/summary/properties/tone',
    summaryStructure: 'properties/summary/properties/structure',
    'summary.language': 'properties/summary/language',
    'summary.flushInterval': 'properties/summary/flushInterval',
    sentimentAnalysis: 'properties/sentimentAnalysis/enabled',
    ...promptAliases(0),
    ...promptAliases(1),
    ...promptAliases(2),
    enhancedTranscription: 'properties/enhancedTranscription/enabled',
    etModel: 'properties/enhancedTranscription/model',
    etVocabulary: 'properties/enhancedTranscription/vocabulary',
    etSystemPrompt: 'properties/enhancedTranscription/systemPrompt',
  },
});

/** Each processor reads the output of the one before it. */
const chainOf = (processors: readonly TemplateProcessor[]): TemplateProcessor[] =>
  processors.map((link, index) => ({ ...link, previousProcessorId: processors[index - 1]?.id ?? null }));

const template = (
  id: string,
  name: string,
  description: string,
  processors: readonly TemplateProcessor[],
  dataSourceSchema: string = MESSAGE_SCHEMAS.bytes,
): StreamConfigurationTemplate => ({
  id,
  name,
  description,
  version: 1,
  dataSourceSchema,
  processors: chainOf(processors),
  patchAliases: {},
});

/** Names of built-in templates beside their ids, wherever a template is chosen. */
export const BUILTIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['ping', '65f46430c6d8985974ff9c9d'],
  ['transcribe', '668115d123bca7e3509723d4'],
  ['diarize', '669fee048452492b62cfad39'],
  ['live', '670ba9e0efa59fe6aecd56f1'],
  ['text', '7472696275746172790a7478'],
]);

/** Immutable. */
export const BUILTIN_TEMPLATES: readonly StreamConfigurationTemplate[] = [
  template('65f46430c6d8985974ff9c9d', 'Ping', 'Returns the uploaded bytes unchanged.', [echo]),
  template('668115d123bca7e3509723d4', 'Pre-recorded transcription', 'Transcribes a recording.', [transcriber, llm]),
  template('669fee048452492b62cfad39', 'Pre-recorded transcription with diarization', 'Transcribes a recording and names the speakers.', [
    transcriber,
    diarization,
    llm,
  ]),
  template('678e26e695f8f5742e8718f4', 'Romanian transcription', 'Transcribes a Romanian recording.', [romanianTranscriber, llm]),
  template(
    '678e375095f8f5742e8718f5',
    'Romanian transcription with diarization',
    'Transcribes a Romanian recording and names the speakers.',
    [romanianTranscriber, diarization, llm],
  ),
  template('670ba9e0efa59fe6aecd56f1', 'Real-time transcription', 'Transcribes speech while it is being spoken.', [liveTranscriber, llm]),
  template(
    '7472696275746172790a7478',
    'Text intelligence',
    'Summary, sentiment and answers to prompts of a text, without any speech engine.',
    [llm],
    MESSAGE_SCHEMAS.string,
  ),
];
