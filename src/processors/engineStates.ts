import { fetch } from 'undici';
import type { Clock } from '../clock.ts';
import type { InstalledModel } from '../speech/models/installedModel.ts';
import { fresh } from '../supervision/fresh.ts';
import { DECODER, findDecoder } from './transcriber/engineChoice.ts';

/** An engine or server used by this node, and whether it is available. */
export interface EngineState {
  readonly name: string;
  readonly kind: 'speech' | 'language model' | 'decoder';
  /** `server`: another program, asked over HTTP. */
  readonly place: 'built-in' | 'local' | 'server';
  readonly state: 'ready' | 'away' | 'missing';
  readonly model: string | null;
  /** For operators; holds no address or key. */
  readonly detail: string;
}

export interface EngineStatesDeps {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly installed: () => Promise<readonly InstalledModel[]>;
  readonly speechServer: { readonly url: string; readonly model: string | null } | null;
  readonly languageModel: { readonly url: string; readonly model: string | null } | null;
}

/** Servers are asked this often at most, however many operators look. */
const FRESH_MILLISECONDS = 10_000;
const PATIENCE_MILLISECONDS = 2_000;

/** The current state of every engine of this node, cached for ten seconds. */
export const openEngineStates = (deps: EngineStatesDeps): (() => Promise<readonly EngineState[]>) =>
  fresh(deps.clock, FRESH_MILLISECONDS, () => read(deps));

const read = async ({ userAgent, installed, speechServer, languageModel }: EngineStatesDeps): Promise<readonly EngineState[]> => {
  const [speech, local, decoder, language] = await Promise.all([
    speechServer ? serverState('Speech server', 'speech', speechServer, userAgent) : null,
    localSpeech(installed, speechServer !== null),
    decoderState(),
    languageModel ? serverState('Language model server', 'language model', languageModel, userAgent) : OFFLINE_LANGUAGE,
  ]);
  return [...(speech ? [speech] : []), ...local, decoder, language];
};

const OFFLINE_LANGUAGE: EngineState = {
  name: 'Built-in text functions',
  kind: 'language model',
  place: 'built-in',
  state: 'ready',
  model: null,
  detail: 'Summaries are extracts and sentiment comes from a lexicon. Set LLM_URL for a language model.',
};

/** Any HTTP answer shows that it is there. Its address and key stay here. */
const serverState = async (
  name: string,
  kind: EngineState['kind'],
  { url, model }: { readonly url: string; readonly model: string | null },
  userAgent: string,
): Promise<EngineState> => {
  const shared = { name, kind, place: 'server', model } as const;
  try {
    const { body } = await fetch(new URL(url).origin, {
      method: 'HEAD',
      headers: { 'user-agent': userAgent },
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
    await body?.cancel();
    return { ...shared, state: 'ready', detail: 'It answers.' };
  } catch {
    return { ...shared, state: 'away', detail: 'It does not answer within 2 seconds. Check that it runs and that this node reaches it.' };
  }
};

const localSpeech = async (installed: EngineStatesDeps['installed'], isOptional: boolean): Promise<readonly EngineState[]> => {
  const models = await installed();
  const shared = { kind: 'speech', place: 'local' } as const;
  if (models.length === 0 && !isOptional)
    return [
      {
        ...shared,
        name: 'Speech engine',
        state: 'missing',
        model: null,
        detail: 'Run "npm run setup" on this server, or set TRANSCRIBER_URL.',
      },
    ];
  return models.map(({ name, engine, languages, origin }) => ({
    ...shared,
    name: engine,
    state: 'ready',
    model: name,
    detail: `${languages === 'en' ? 'English only' : 'Every language of Whisper'}, ${origin}`,
  }));
};

const decoderState = async (): Promise<EngineState> => {
  const isThere = (await findDecoder(DECODER)) !== null;
  const detail = isThere ? 'Decodes uploaded audio and video.' : 'Install ffmpeg and ffprobe, or run "npm run setup" on this server.';
  return { name: 'ffmpeg', kind: 'decoder', place: 'local', state: isThere ? 'ready' : 'missing', model: null, detail };
};
