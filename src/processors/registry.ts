import type { Clock } from '../clock.ts';
import { isDeclared } from '../domain/processorDeclarations/declaration.ts';
import { DECLARATIONS } from '../domain/templates/declarations.ts';
import type { ProcessorDeclaration } from '../domain/templates/template.ts';
import { diarizationProcessor } from './diarization/diarization.ts';
import { echoProcessor } from './echo/echo.ts';
import { ChatServer, type LanguageModelSettings } from './llm/chat.ts';
import { httpLlmProcessor } from './llm/httpLlm.ts';
import { offlineLlmProcessor } from './llm/llm.ts';
import type { MediaLimits } from './media/mediaFacts.ts';
import { type Processor, ProcessorError } from './processor.ts';
import { redactionProcessor } from './redaction/redaction.ts';
import { CallerSchemas } from './schemas/callerSchemas.ts';
import { DECODER } from './transcriber/engineChoice.ts';
import { httpTranscriber } from './transcriber/httpTranscriber.ts';
import { liveTranscriber } from './transcriber/liveTranscriber.ts';
import { SpeechServer, type SpeechServerSettings } from './transcriber/speechServer.ts';
import { type TranscriberSettings, transcriberProcessor } from './transcriber/transcriber.ts';

export interface ProcessorSettings {
  readonly clock: Clock;
  /** Runs users' own processors. Without it only the built-in processors exist. */
  readonly declared?: Processor;
  /** Default: creates its own threads. */
  readonly schemas?: CallerSchemas;
  /** Default: the limits of a server without settings. */
  readonly mediaLimits?: MediaLimits;
  /** Local speech engines, if any. */
  readonly localSpeech?: Omit<TranscriberSettings, 'limits'> | null;
  /** The speech server. It has priority over the local engines. */
  readonly speechServer?: SpeechServerSettings | null;
  /** The chat server. Without it the llm processor works offline. */
  readonly languageModel?: LanguageModelSettings | null;
}

/** The kinds of processors of this node, by the id of their declaration. */
export interface Processors {
  get(declarationId: string): Processor | undefined;
  list(): readonly Processor[];
}

/** Declared but not available: templates with it can be read, and uploads are refused with the missing setting. */
const withoutEngine = (declaration: ProcessorDeclaration, mode: 'live' | 'batch', reason: string): Processor => ({
  declaration,
  mode,
  unavailable: () => reason,
  run: () => Promise.reject(new ProcessorError('PROCESSOR_FEATURE_ERROR', reason)),
});

const NO_SPEECH = 'This server has no speech engine. Run "npm run setup" on it, or set TRANSCRIBER_URL.';

const DEFAULT_LIMITS: MediaLimits = { maxSeconds: 14_400 };

interface Servers {
  readonly speech: SpeechServer | null;
  readonly model: ChatServer | null;
  readonly schemas: CallerSchemas;
}

const create = (declaration: ProcessorDeclaration, settings: ProcessorSettings, { speech, model, schemas }: Servers): Processor => {
  const limits = settings.mediaLimits ?? DEFAULT_LIMITS;
  const http = () => speech && httpTranscriber(declaration, { server: speech, decoder: DECODER, limits });
  const local = settings.localSpeech ? { ...settings.localSpeech, limits } : null;
  switch (declaration.id) {
    case 'echo':
      return echoProcessor(declaration);
    case 'batch-transcriber':
    case 'romanian-transcriber':
      return http() ?? (local ? transcriberProcessor(declaration, local) : withoutEngine(declaration, 'batch', NO_SPEECH));
    case 'redaction':
      return redactionProcessor(declaration);
    case 'llm':
      return model ? httpLlmProcessor(declaration, model, schemas) : offlineLlmProcessor(declaration, schemas);
    case 'realtime-transcriber':
      return local ? liveTranscriber(declaration, local, speech) : withoutEngine(declaration, 'live', NO_SPEECH);
    case 'speaker-diarization':
      return diarizationProcessor(declaration, { mixed: speech !== null || local !== null, split: speech !== null });
    default:
      throw new Error(`no processor for the declaration ${declaration.id}`);
  }
};

/** All declared processors of this node. */
export const openProcessors = (settings: ProcessorSettings): Processors => {
  const speech = settings.speechServer ? new SpeechServer(settings.speechServer, settings.clock) : null;
  const model = settings.languageModel ? new ChatServer(settings.languageModel, settings.clock) : null;
  const schemas = settings.schemas ?? new CallerSchemas(settings);
  const all = DECLARATIONS.map((declaration) => create(declaration, settings, { speech, model, schemas }));
  const { declared } = settings;
  return {
    get: (id) => all.find(({ declaration }) => declaration.id === id) ?? (isDeclared(id) ? declared : undefined),
    list: () => (declared ? [...all, declared] : all),
  };
};
