import type { StreamConfigurationTemplate } from '../../../domain/templates/template.ts';
import { enumValueIn, isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import { invalidField, OpenAiProblem } from '../../errors/openAiErrors.ts';
import { checkedLanguages, checkLanguage, checkPrompt, joinedVocabulary } from '../transcriptions/speechRequest.ts';
import { AUDIO_FORMATS, type AudioFormat, audioFormat } from './audioFormat.ts';
import { DEFAULT_TURNS, type TurnDetection, turnDetectionOf, turnDetectionShown } from './turnDetection.ts';

/** Settings that a client may choose for its session. */
export interface SessionSettings {
  readonly model: string | null;
  readonly format: AudioFormat;
  readonly language: string | null;
  /** Candidates, if there is no `language`. */
  readonly languages: readonly string[];
  readonly prompt: string | null;
  /** Words to expect, besides those of the prompt. */
  readonly keywords: readonly string[];
  /** `null`: the client ends each utterance itself, with a commit. */
  readonly turnDetection: TurnDetection | null;
}

const MAX_SILENCE_MILLISECONDS = 60_000;
const LEAST_PAUSE_MILLISECONDS = 1_000;

/** Milliseconds of silence after which the template's transcriber ends an utterance. The declaration of a user's own processor may allow any number. */
export const longestPause = ({ processors }: Pick<StreamConfigurationTemplate, 'processors'>): number =>
  processors.reduce((longest, { properties: { utteranceEndSilence: silence } }) => {
    const pause = typeof silence === 'number' ? Math.min(silence, MAX_SILENCE_MILLISECONDS) : 0;
    return Math.max(longest, pause);
  }, LEAST_PAUSE_MILLISECONDS);

export const DEFAULT_SETTINGS: SessionSettings = {
  model: null,
  format: 'audio/pcm',
  language: null,
  languages: [],
  prompt: null,
  keywords: [],
  turnDetection: DEFAULT_TURNS,
};

/**
 * The settings after an update, whose `session` has the members of the newer interface (`audio.input`) or of the older one. Missing members stay
 * unchanged. Throws 400 with the member at fault.
 */
export const updatedSettings = (settings: SessionSettings, update: Json | undefined): SessionSettings => {
  if (!isJsonObject(update)) throw invalidField('session', 'session must be an object.');
  if (update.type !== undefined && !isOneOf(update.type, ['transcription'])) throw onlyTranscribes();
  checkIgnored(update);
  const input = inputOf(update);
  const format = firstGiven(input.format, update.input_audio_format);
  const transcription = firstGiven(input.transcription, update.input_audio_transcription);
  const turns = firstGiven(input.turn_detection, update.turn_detection);
  const updated: SessionSettings = {
    ...settings,
    ...(format !== undefined && format !== null && { format: formatOf(format) }),
    ...(transcription !== undefined && transcription !== null && transcriptionOf(transcription)),
    ...(turns !== undefined && { turnDetection: turnDetectionOf(turns) }),
  };
  checkPrompt(joinedVocabulary(updated.prompt, updated.keywords), `${TRANSCRIPTION}.keywords`);
  return updated;
};

/** 400 for settings that would make the server speak. */
export const onlyTranscribes = (): OpenAiProblem =>
  new OpenAiProblem('GENERAL_BAD_REQUEST_ERROR', 'This server transcribes and does not speak. Use a session of the type "transcription".', {
    code: 'unsupported_operation',
  });

const inputOf = ({ audio }: JsonObject): JsonObject => {
  const input = isJsonObject(audio) ? audio.input : undefined;
  return isJsonObject(input) ? input : {};
};

/** Members that no engine here follows: their values are checked all the same. */
const checkIgnored = (update: JsonObject): void => {
  const noise = firstGiven(inputOf(update).noise_reduction, update.input_audio_noise_reduction) ?? null;
  const type = isJsonObject(noise) ? (noise.type ?? null) : noise;
  if (type !== null && !isOneOf(type, NOISE_REDUCTIONS))
    throw invalidField('session.audio.input.noise_reduction.type', `type must be ${NOISE_REDUCTIONS.join(' or ')}.`);
  const included = update.include ?? [];
  if (!Array.isArray(included) || !included.every((one) => isOneOf(one, INCLUDED)))
    throw invalidField('session.include', `include must be a list of ${INCLUDED.join(', ')}.`);
};

const NOISE_REDUCTIONS = ['near_field', 'far_field'];
const INCLUDED = ['item.input_audio_transcription.logprobs'];

/** In any case. */
const isOneOf = (value: Json | undefined, values: readonly string[]): boolean =>
  typeof value === 'string' && enumValueIn(value, values) !== undefined;

const firstGiven = (newer: Json | undefined, older: Json | undefined): Json | undefined => (newer === undefined ? older : newer);

const formatOf = (given: Json): AudioFormat => {
  const { type, rate } = isJsonObject(given) ? given : { type: given, rate: undefined };
  const format = audioFormat(type);
  if (!format) throw invalidField('session.audio.input.format', 'The audio format must be audio/pcm, audio/pcmu or audio/pcma.');
  const { sampleRate } = AUDIO_FORMATS[format];
  if (rate !== undefined && rate !== sampleRate)
    throw invalidField('session.audio.input.format.rate', `${format} has ${sampleRate} samples a second here.`);
  return format;
};

/** An open session keeps these texts, so their length is limited. `model` needs no limit: the session keeps it only if it names a template. */
const transcriptionOf = (given: Json): Partial<SessionSettings> => {
  if (!isJsonObject(given)) throw invalidField('session.audio.input.transcription', 'transcription must be an object.');
  const { model, language, languages, prompt, keywords } = given;
  return {
    ...(model !== undefined && model !== null && { model: textOf(model, 'model', () => {}) }),
    ...(language !== undefined && {
      language: language === null ? null : textOf(language, 'language', checkLanguage).toLowerCase() || null,
    }),
    ...(prompt !== undefined && { prompt: prompt === null ? null : textOf(prompt, 'prompt', checkPrompt) || null }),
    ...(languages !== undefined && { languages: checkedLanguages(textsOf(languages, 'languages'), `${TRANSCRIPTION}.languages`) }),
    ...(keywords !== undefined && { keywords: textsOf(keywords, 'keywords') }),
  };
};

const TRANSCRIPTION = 'session.audio.input.transcription';

/** Without blank ones. */
const textsOf = (value: Json, name: string): string[] => {
  const texts = value ?? [];
  if (!Array.isArray(texts)) throw invalidField(`${TRANSCRIPTION}.${name}`, `${name} must be a list of texts.`);
  return texts.map((text) => textOf(text, name, () => {})).filter((text) => text.trim() !== '');
};

const textOf = (value: Json, name: string, check: (text: string, member: string) => void): string => {
  const member = `${TRANSCRIPTION}.${name}`;
  if (typeof value !== 'string') throw invalidField(member, `${name} must be text.`);
  check(value, member);
  return value;
};

const transcriptionShown = ({ model, language, languages, prompt, keywords }: SessionSettings): object => ({
  model,
  language,
  prompt: prompt ?? '',
  ...(languages.length > 0 && { languages }),
  ...(keywords.length > 0 && { keywords }),
});

/** The session as `session.created` and `session.updated` show it. */
export const sessionShown = (id: string, settings: SessionSettings): object => ({
  id,
  object: 'realtime.transcription_session',
  type: 'transcription',
  audio: {
    input: {
      format:
        settings.format === 'audio/pcm'
          ? { type: settings.format, rate: AUDIO_FORMATS[settings.format].sampleRate }
          : { type: settings.format },
      transcription: transcriptionShown(settings),
      noise_reduction: null,
      turn_detection: turnDetectionShown(settings.turnDetection),
    },
  },
  include: null,
});

/** The session as the older `transcription_session.updated` shows it. */
export const olderSessionShown = (id: string, settings: SessionSettings): object => ({
  id,
  object: 'realtime.transcription_session',
  input_audio_format: AUDIO_FORMATS[settings.format].olderName,
  input_audio_transcription: transcriptionShown(settings),
  turn_detection: turnDetectionShown(settings.turnDetection),
  input_audio_noise_reduction: null,
  include: null,
});
