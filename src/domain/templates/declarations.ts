import type { JsonSchema } from '../../json.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { PROPERTIES_SCHEMAS } from './propertiesSchemas.ts';
import type { ProcessorDeclaration } from './template.ts';

/**
 * The built-in kinds of processors, with the schemas of their properties. An absent member means the schema's `default` (removing a property restores
 * it); without a default it means "not set". Names and bounds are part of the public interface.
 */

const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', additionalProperties: false, properties });
const flag = (byDefault: boolean, description: string): JsonSchema => ({ type: 'boolean', default: byDefault, description });
const text = (maxLength: number, description: string): JsonSchema => ({ type: 'string', maxLength, description });
const oneOf = (values: readonly string[], description: string): JsonSchema => ({
  type: 'string',
  enum: values,
  default: values[0],
  description,
});
const whole = (minimum: number, maximum: number, description: string): JsonSchema => ({ type: 'integer', minimum, maximum, description });

/** A text with this `contentMediaType` must be a JSON Schema, which is checked with the properties. */
export const JSON_SCHEMA_TEXT = 'application/schema+json';

/** For forms: the dashboard asks which of them this server can run. Any other code may be given. */
const LANGUAGES = ['en', 'ar', 'de', 'es', 'fr', 'hi', 'it', 'nl', 'pl', 'pt', 'ro', 'uk', 'zh'];
const LANGUAGE_CODE: JsonSchema = { type: 'string', minLength: 1, maxLength: 35 };
const SPLIT_STEREO = flag(false, 'Transcribes each channel separately.');

const MODEL = text(64, 'Name of the model. Absent: the best one that the server has.');
const VOCABULARY: JsonSchema = {
  type: ['string', 'array'],
  maxLength: 4096,
  items: { type: 'string', maxLength: 256 },
  maxItems: 200,
  description: 'Words to expect, text or a list. Whisper models and speech servers use it.',
};
const REPLACEMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 256 },
  propertyNames: { minLength: 1, maxLength: 256 },
  maxProperties: 1000,
  description: 'What the engine writes, and what replaces it: whole words, compared without case. Those of saved vocabularies join it.',
};

const BATCH_TRANSCRIBER_PROPERTIES = closed({
  language: {
    type: ['string', 'array'],
    minLength: 1,
    maxLength: 35,
    items: LANGUAGE_CODE,
    minItems: 1,
    maxItems: 20,
    description: 'Language code, or a list of codes to choose from. Absent: detected automatically.',
    examples: LANGUAGES,
  },
  vad: flag(true, 'Skips passages without speech.'),
  noSpeechThreshold: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'Segments with a higher probability of silence are skipped.',
  },
  splitStereo: SPLIT_STEREO,
  model: MODEL,
  vocabulary: VOCABULARY,
  replacements: REPLACEMENTS,
  task: oneOf(['transcribe', 'translate'], 'translate: the text is English, whatever is spoken.'),
});

const ROMANIAN_TRANSCRIBER_PROPERTIES = closed({
  disfluencies: flag(false, 'Keeps hesitations.'),
  punctuationCapitalization: flag(true, 'Adds punctuation and capitals.'),
  numeralsConversion: flag(true, 'Writes numbers as digits.'),
  splitStereo: SPLIT_STEREO,
  findReplace: flag(true, "Applies the engine's replacement list."),
  model: MODEL,
  vocabulary: VOCABULARY,
  replacements: REPLACEMENTS,
});

const REALTIME_TRANSCRIBER_PROPERTIES = closed({
  language: { ...LANGUAGE_CODE, default: 'en', description: 'Language code.', examples: LANGUAGES },
  multichannel: flag(false, 'Transcribes each channel separately.'),
  utteranceEndSilence: { ...whole(0, 60_000, 'Silence that ends an utterance, in milliseconds.'), default: 1000 },
  encoding: {
    type: 'string',
    enum: ['linear16', 'flac', 'mulaw', 'opus'],
    description: 'Encoding of raw audio. Absent: read from the container.',
  },
  sampleRate: whole(4_000, 384_000, 'Sample rate of raw audio, in hertz.'),
  channels: whole(1, 32, 'Of raw audio.'),
  model: MODEL,
  vocabulary: VOCABULARY,
  replacements: REPLACEMENTS,
});

const DIARIZATION_PROPERTIES = closed({
  speakersNumber: whole(1, 100, 'Number of speakers, if known.'),
  minSpeakersNumber: whole(1, 100, 'Minimum number of speakers.'),
  maxSpeakersNumber: whole(1, 100, 'Maximum number of speakers.'),
});

/** The kinds of text that redaction can find and replace. */
export const REDACTED_KINDS = ['email', 'phone', 'card', 'iban', 'ssn', 'ip', 'url', 'number', 'custom'] as const;

const REDACTION_PROPERTIES = closed({
  kinds: {
    type: 'array',
    items: { type: 'string', enum: REDACTED_KINDS },
    minItems: 1,
    maxItems: 20,
    description: 'What is replaced. `custom`: matches of `patterns`.',
  },
  patterns: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 500 },
    maxItems: 20,
    description: 'Regular expressions of your own in the syntax of RE2. Their matches become `[CUSTOM]`.',
  },
  region: {
    type: 'string',
    pattern: '^[A-Za-z]{2}$',
    description: 'Country of phone numbers without a country code, such as `US`. Absent: that of the language.',
    examples: ['US', 'GB', 'DE', 'FR', 'RO'],
  },
  keepMedia: flag(false, 'Keeps the upload after the end of the stream.'),
});

const PROMPT = closed({
  content: text(65_536, 'The question.'),
  systemPrompt: text(65_536, 'Instructions for the language model.'),
  promptId: { type: 'string', minLength: 1, maxLength: 64, description: "Names the answer in the export. Absent: the prompt's number." },
  responseFormat: closed({
    specification: { ...text(65_536, 'A JSON Schema as text. The answer must match it.'), contentMediaType: JSON_SCHEMA_TEXT },
  }),
});

const LLM_PROPERTIES = closed({
  summary: closed({
    enabled: flag(false, 'Writes a summary.'),
    language: text(35, 'Language of the summary, as a code or a name. Absent: the language of the text. Needs a language model.'),
    flushInterval: {
      type: 'number',
      minimum: 0,
      description: 'Accepted for clients of the hosted service. A summary is written once, at the end.',
    },
    properties: closed({
      length: oneOf(['brief', 'detailed'], 'Length of the summary.'),
      tone: oneOf(['conversational', 'informative'], 'Tone of the summary.'),
      structure: oneOf(['paragraphs', 'bullet_points'], 'Structure of the summary.'),
    }),
  }),
  sentimentAnalysis: closed({ enabled: flag(false, 'Rates the sentiment of each segment and of the whole.') }),
  askAnything: closed({ 0: PROMPT, 1: PROMPT, 2: PROMPT }),
  enhancedTranscription: closed({
    enabled: flag(false, 'Corrects the transcription. Needs a language model.'),
    model: oneOf(['standard', 'enhanced'], 'Model of the correction.'),
    vocabulary: {
      type: ['string', 'array'],
      maxLength: 65_536,
      items: { type: 'string', maxLength: 1024 },
      maxItems: 1000,
      description: 'Expected words, as comma-separated text or a list.',
    },
    systemPrompt: text(65_536, 'Instructions for the correction.'),
  }),
});

type DeclarationParts = Omit<
  ProcessorDeclaration,
  'clusterDomainNameTemplate' | 'podsDiscoveryClusterDomainName' | 'revision' | 'features'
>;

const declare = (parts: DeclarationParts): ProcessorDeclaration => ({
  ...parts,
  clusterDomainNameTemplate: `${parts.id}-\${REPLICA}.processors.tributary.internal`,
  podsDiscoveryClusterDomainName: `${parts.id}.processors.tributary.internal`,
  revision: '1',
  features: { support: [], require: [], implement: [], requireSupport: [] },
});

/** Every processor declaration, in the order of lists. Immutable. */
export const DECLARATIONS: readonly ProcessorDeclaration[] = [
  declare({
    id: 'echo',
    displayName: 'Echo',
    description: 'Passes the bytes on as they are.',
    propertiesSchema: PROPERTIES_SCHEMAS.none,
    propertiesJsonSchema: closed({}),
    inputSchemas: [MESSAGE_SCHEMAS.bytes],
    outputSchema: MESSAGE_SCHEMAS.bytes,
    operationType: 'NO_OPERATION',
  }),
  declare({
    id: 'batch-transcriber',
    displayName: 'Pre-recorded transcription',
    description: 'Turns recorded speech into text.',
    propertiesSchema: PROPERTIES_SCHEMAS.batchTranscriber,
    propertiesJsonSchema: BATCH_TRANSCRIBER_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.bytes],
    outputSchema: MESSAGE_SCHEMAS.transcription,
    operationType: 'BATCH_TRANSCRIPTION',
  }),
  declare({
    id: 'romanian-transcriber',
    displayName: 'Romanian transcription',
    description: 'Turns recorded Romanian speech into text.',
    propertiesSchema: PROPERTIES_SCHEMAS.batchTranscriber,
    propertiesJsonSchema: ROMANIAN_TRANSCRIBER_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.bytes],
    outputSchema: MESSAGE_SCHEMAS.transcription,
    operationType: 'BATCH_TRANSCRIPTION',
  }),
  declare({
    id: 'realtime-transcriber',
    displayName: 'Real-time transcription',
    description: 'Turns speech into text while it is being spoken.',
    propertiesSchema: PROPERTIES_SCHEMAS.liveTranscriber,
    propertiesJsonSchema: REALTIME_TRANSCRIBER_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.bytes],
    outputSchema: MESSAGE_SCHEMAS.transcription,
    operationType: 'REAL_TIME_TRANSCRIPTION',
  }),
  declare({
    id: 'speaker-diarization',
    displayName: 'Speaker diarization',
    description: 'Identifies the speakers and adds them to the transcription.',
    propertiesSchema: PROPERTIES_SCHEMAS.diarization,
    propertiesJsonSchema: DIARIZATION_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.transcription],
    outputSchema: MESSAGE_SCHEMAS.transcription,
    operationType: 'SPEAKERS_DIARIZATION',
  }),
  declare({
    id: 'llm',
    displayName: 'Text intelligence',
    description: 'Summary, sentiment, answers to prompts and enhanced transcription of a text.',
    propertiesSchema: PROPERTIES_SCHEMAS.llm,
    propertiesJsonSchema: LLM_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.transcription, MESSAGE_SCHEMAS.string],
    outputSchema: MESSAGE_SCHEMAS.llm,
    operationType: 'LLM_PROCESSING',
  }),
  declare({
    id: 'redaction',
    displayName: 'Redaction',
    description: 'Replaces personal data in a transcription, and deletes what came before it.',
    propertiesSchema: PROPERTIES_SCHEMAS.redaction,
    propertiesJsonSchema: REDACTION_PROPERTIES,
    inputSchemas: [MESSAGE_SCHEMAS.transcription],
    outputSchema: MESSAGE_SCHEMAS.transcription,
    operationType: 'REDACTION',
  }),
];

/** `undefined` for an unknown id. */
export const declarationOf = (id: string): ProcessorDeclaration | undefined => DECLARATIONS.find((declaration) => declaration.id === id);
