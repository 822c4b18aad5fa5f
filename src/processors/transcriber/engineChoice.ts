import type { JsonObject } from '../../json.ts';
import { findCommand } from '../../speech/engineProcess.ts';
import { chooseModel, installCommand } from '../../speech/models/chooseModel.ts';
import type { InstalledModel } from '../../speech/models/installedModel.ts';
import type { WorkerEngine } from '../../speech/workers/workers.ts';
import { isEnglish, languagesOf } from './languages.ts';

/** Names of the commands that decode audio, looked up in PATH; tests pass paths. */
export interface DecoderCommands {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export const DECODER: DecoderCommands = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' };

/** Their full paths; `null` if one of them is missing. */
export const findDecoder = async (commands: DecoderCommands): Promise<DecoderCommands | null> => {
  const [ffmpeg, ffprobe] = await Promise.all([findCommand(commands.ffmpeg), findCommand(commands.ffprobe)]);
  return ffmpeg === null || ffprobe === null ? null : { ffmpeg, ffprobe };
};

export interface EngineSources {
  /** All models that are in place now. */
  readonly installed: () => Promise<readonly InstalledModel[]>;
  /** WHISPER_MODEL. */
  readonly whisperModel: string | null;
  readonly decoder: DecoderCommands;
}

/** The local engine for a run. */
export interface ChosenEngine {
  readonly engine: WorkerEngine;
  readonly model: string;
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export interface EngineNeeds {
  readonly properties: JsonObject;
  /** Codes of the possible languages. Empty: any. */
  readonly languages: readonly string[];
  readonly live: boolean;
}

/** The voice detector of the workers, for live audio on a speech server. A string names the missing part. */
export const chooseVoiceDetector = async (sources: EngineSources): Promise<ChosenEngine | string> => {
  const { installed, decoder } = await present(sources);
  const missing =
    'Live audio on a speech server needs the voice detector of the speech engines, and ffmpeg. Run "npm run setup" on this server.';
  // The detector comes with the package of moonshine.
  if (!installed.some(({ engine }) => engine === 'moonshine') || !decoder) return missing;
  return { engine: { engine: 'voice' }, model: 'silero-vad', ...decoder };
};

/** Requirements of a processor with these properties. `fixed`: the only language of the processor. */
export const needsOf = (properties: JsonObject, { fixed, live }: { fixed: string | null; live: boolean }): EngineNeeds => ({
  properties,
  languages: fixed === null ? languagesOf(properties) : [fixed],
  live,
});

interface Present {
  readonly installed: readonly InstalledModel[];
  readonly decoder: DecoderCommands | null;
}

const lookUps = new WeakMap<EngineSources, Promise<Present>>();

/** Questions asked at once share one look at the disk: a list of templates asks once a processor. */
const present = (sources: EngineSources): Promise<Present> => {
  const underWay = lookUps.get(sources);
  if (underWay) return underWay;
  const looked = lookUp(sources).finally(() => lookUps.delete(sources));
  lookUps.set(sources, looked);
  return looked;
};

const lookUp = async ({ installed, decoder }: EngineSources): Promise<Present> => {
  const [models, found] = await Promise.all([installed(), findDecoder(decoder)]);
  return { installed: models, decoder: found };
};

/**
 * The engine for the request: a named model; otherwise, for live English speech, moonshine; otherwise Whisper, if a model is installed; otherwise
 * moonshine. A string names the missing part and the command or setting that helps.
 */
export const chooseEngine = async (sources: EngineSources, needs: EngineNeeds): Promise<ChosenEngine | string> => {
  const { installed, decoder } = await present(sources);
  if (installed.length === 0) return 'This server has no speech engine. Run "npm run setup" on it, or set TRANSCRIBER_URL.';
  if (!decoder) return 'This server has no ffmpeg. Run "npm run setup" on it, or set TRANSCRIBER_URL.';
  const model = chosenModel(installed, sources.whisperModel, needs);
  if (typeof model === 'string') return model;
  const { name, folder, bytes } = model;
  const engine: WorkerEngine = model.engine === 'whisper' ? { engine: 'whisper', folder, bytes } : { engine: 'moonshine' };
  return { engine, model: name, ...decoder };
};

const chosenModel = (installed: readonly InstalledModel[], configured: string | null, needs: EngineNeeds): InstalledModel | string => {
  const { properties, languages, live } = needs;
  const named = typeof properties.model === 'string' ? properties.model : null;
  const moonshine = installed.find(({ engine }) => engine === 'moonshine') ?? null;
  const translates = properties.task === 'translate';
  const needsMultilingual = translates || !languages.every(isEnglish);
  if (named !== null && named === moonshine?.name) return needsMultilingual ? englishOnly(named, languages) : moonshine;
  if (moonshine !== null && live && named === null && !needsMultilingual) return moonshine;
  const wanted = named ?? configured;
  const model = chooseModel(installed, { named: wanted, needsMultilingual });
  if (model === null && wanted !== null) return `The model "${wanted}" is not installed. Run "${installCommand(wanted)}" on the server.`;
  if (model !== null) return needsMultilingual && model.languages === 'en' ? englishOnly(model.name, languages) : model;
  if (moonshine !== null && !needsMultilingual) return moonshine;
  const what = translates ? 'Translation' : `The language ${quoted(languages)}`;
  return `${what} needs a multilingual Whisper model or a speech server. Run "${installCommand(null)}" on the server, or set TRANSCRIBER_URL.`;
};

const quoted = (languages: readonly string[]): string =>
  languages
    .filter((code) => !isEnglish(code))
    .map((code) => `"${code}"`)
    .join(', ');

const englishOnly = (model: string, languages: readonly string[]): string =>
  `The model "${model}" understands English only${languages.length > 0 ? `, not ${quoted(languages)}` : ''}. Run "${installCommand(null)}" on the server for other languages.`;
