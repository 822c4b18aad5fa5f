import { booleanIn, enumValueIn, isJsonObject } from '../../../json.ts';
import { invalidField } from '../../errors/openAiErrors.ts';
import type { FormFields } from './speechForm.ts';
import { MAX_LANGUAGE_CODE } from './verboseAnswer.ts';

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];
export type SpeechTask = 'transcribe' | 'translate';

const GRANULARITIES = ['segment', 'word'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export interface SpeechRequest {
  readonly task: SpeechTask;
  readonly model: string;
  /** Several: one of these. */
  readonly language: string | readonly string[] | null;
  /** Words to expect: the prompt and the keywords. */
  readonly vocabulary: string | null;
  /** In the order in which the speakers appear. */
  readonly speakerNames: readonly string[];
  /** For the header `x-tributary-warning`. */
  readonly warning: string | null;
  readonly format: ResponseFormat;
  readonly granularities: readonly Granularity[];
  readonly temperature: number | null;
  readonly stream: boolean;
}

/** Accepted, but no engine gives it. */
const INCLUDED = ['logprobs'] as const;
/** Accepted: the engine decides where it divides a recording. */
const [CHUNKING, CHUNKED_BY] = [['auto', 'server_vad'], ['server_vad']] as const;
/** As for the property `language`. */
const MAX_LANGUAGES = 20;
/** Most characters of a prompt, as for the property `vocabulary` that it becomes. */
const MAX_PROMPT = 4_096;

const checkLength = (text: string | null, name: string, most: number): void => {
  if (text !== null && text.length > most)
    throw invalidField(name, `The field ${name} has ${text.length} characters. At most ${most} are allowed.`);
};

/** Throws 400 that names the field or message member if the prompt is too long. */
export const checkPrompt = (prompt: string | null, name: string): void => checkLength(prompt, name, MAX_PROMPT);

/** Like `checkPrompt`, for a language code. */
export const checkLanguage = (language: string | null, name: string): void => checkLength(language, name, MAX_LANGUAGE_CODE);

/** Candidates in lower case. Throws 400 that names the field or message member if one is too long, or there are too many. */
export const checkedLanguages = (languages: readonly string[], name: string): string[] => {
  for (const language of languages) checkLanguage(language, name);
  if (languages.length > MAX_LANGUAGES)
    throw invalidField(name, `${name} has ${languages.length} values. At most ${MAX_LANGUAGES} are allowed.`);
  return languages.map((language) => language.toLowerCase());
};

/** For the property `language`. */
const oneOrSeveral = (languages: readonly string[]): string | readonly string[] | null =>
  languages.length > 1 ? languages : (languages[0] ?? null);

/** For the property `vocabulary`. */
export const joinedVocabulary = (prompt: string | null, keywords: readonly string[]): string | null =>
  [...(prompt === null ? [] : [prompt]), ...keywords].join(', ') || null;

/** Reads the fields; unknown ones are ignored. Throws 400 with the field at fault. */
export const speechRequest = (fields: FormFields, task: SpeechTask): SpeechRequest => {
  const model = single(fields, 'model');
  if (!model) throw invalidField('model', 'The field model is missing. Send one, such as whisper-1.', 'missing_required_parameter');
  const format = choice(fields, 'response_format', RESPONSE_FORMATS) ?? 'json';
  for (const one of listIn(fields, 'include')) known(one, 'include', INCLUDED);
  checkChunking(fields);
  if (task === 'translate' && format === 'diarized_json')
    throw invalidField('response_format', 'A translation has no speakers: diarized_json is for /v1/audio/transcriptions.');
  return {
    task,
    model,
    language: languageOf(fields),
    vocabulary: vocabularyOf(fields),
    speakerNames: listIn(fields, 'known_speaker_names'),
    warning: fields.has('known_speaker_references') ? 'known_speaker_references is ignored' : null,
    format,
    granularities: granularities(fields, format),
    temperature: temperature(fields),
    stream: task === 'transcribe' && isStreamed(fields),
  };
};

const single = (fields: FormFields, name: string): string | undefined => {
  const values = fields.get(name) ?? [];
  if (values.length > 1) throw invalidField(name, `The field ${name} is given ${values.length} times. Send it once.`);
  return values[0];
};

const choice = <Value extends string>(fields: FormFields, name: string, values: readonly Value[]): Value | undefined => {
  const given = single(fields, name);
  if (given === undefined || given === '') return undefined;
  return known(given, name, values);
};

const known = <Value extends string>(given: string, name: string, values: readonly Value[]): Value => {
  const value = enumValueIn(given, values);
  if (value === undefined)
    throw invalidField(name, `${JSON.stringify(given.slice(0, 100))} is not a value of ${name}. Use one of ${values.join(', ')}.`);
  return value;
};

/** `auto`, or an object with the type `server_vad`: as JSON, or a field a member as the official clients send it. */
const checkChunking = (fields: FormFields): void => {
  const given = single(fields, 'chunking_strategy');
  if (given?.trim().startsWith('{')) known(typeIn(given), 'chunking_strategy', CHUNKED_BY);
  else choice(fields, 'chunking_strategy', CHUNKING);
  const type = single(fields, 'chunking_strategy[type]');
  if (type !== undefined) known(type, 'chunking_strategy', CHUNKED_BY);
};

const typeIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value.type === 'string' ? value.type : text;
  } catch {
    return text;
  }
};

/** A list: the field repeated, or one field with commas between the values. */
const listIn = (fields: FormFields, name: string): string[] => {
  const given = fields.get(name) ?? [];
  const values = given.length === 1 ? given.flatMap((text) => text.split(',')) : given;
  return values.map((text) => text.trim()).filter((text) => text !== '');
};

const languageOf = (fields: FormFields): SpeechRequest['language'] => {
  const one = single(fields, 'language') || null;
  checkLanguage(one, 'language');
  if (one !== null) return one.toLowerCase();
  return oneOrSeveral(checkedLanguages(listIn(fields, 'languages'), 'languages'));
};

const vocabularyOf = (fields: FormFields): string | null => {
  const prompt = single(fields, 'prompt') || null;
  checkPrompt(prompt, 'prompt');
  const vocabulary = joinedVocabulary(prompt, listIn(fields, 'keywords'));
  checkPrompt(vocabulary, 'keywords');
  return vocabulary;
};

const isStreamed = (fields: FormFields): boolean => {
  const given = single(fields, 'stream') || 'false';
  const streamed = booleanIn(given);
  if (streamed === null)
    throw invalidField('stream', `${JSON.stringify(given.slice(0, 100))} is not a value of stream. Use true or false.`);
  return streamed;
};

const granularities = (fields: FormFields, format: ResponseFormat): readonly Granularity[] => {
  const given = listIn(fields, 'timestamp_granularities').map((one) => known(one, 'timestamp_granularities', GRANULARITIES));
  if (given.length > 0 && format !== 'verbose_json')
    throw invalidField('timestamp_granularities', 'timestamp_granularities needs response_format=verbose_json.');
  return given.length > 0 ? given : ['segment'];
};

const temperature = (fields: FormFields): number | null => {
  const given = single(fields, 'temperature');
  if (given === undefined || given === '') return null;
  // Each digit can match in only one place: two adjacent repetitions of digits would take quadratic time.
  const value = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw invalidField('temperature', 'temperature must be a number from 0 to 1.');
  return value;
};
