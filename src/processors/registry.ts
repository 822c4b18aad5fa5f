import type { Clock } from '../clock.ts';
import { DECLARATIONS } from '../domain/templates/declarations.ts';
import type { ProcessorDeclaration } from '../domain/templates/template.ts';
import { diarizationProcessor } from './diarization/diarization.ts';
import { echoProcessor } from './echo/echo.ts';
import { ChatServer, type LanguageModelSettings } from './llm/chat.ts';
import { httpLlmProcessor } from './llm/httpLlm.ts';
import { offlineLlmProcessor } from './llm/llm.ts';
import { type Processor, ProcessorError } from './processor.ts';
import { type CallerSchemas, openCallerSchemas } from './schemas/callerSchemas.ts';
import { httpTranscriber } from './transcriber/httpTranscriber.ts';
import { liveTranscriber } from './transcriber/liveTranscriber.ts';
import { DEBIAN_COMMANDS, type EngineCommands } from './transcriber/pocketSphinx.ts';
import { SpeechServer, type SpeechServerSettings } from './transcriber/speechServer.ts';
import { transcriberProcessor } from './transcriber/transcriber.ts';

export interface ProcessorSettings {
  readonly clock: Clock;
  /** Path of a JSGF grammar file for the offline speech engine, `null` for free speech (TRANSCRIBER_GRAMMAR). */
  readonly transcriberGrammar: string | null;
  /** Default: threads of its own. */
  readonly schemas?: CallerSchemas;
  /** The speech server; without one the offline engine serves what it can. */
  readonly speechServer?: SpeechServerSettings | null;
  /** The chat server; without one the llm processor has its offline forms. */
  readonly languageModel?: LanguageModelSettings | null;
  /** Commands of the offline speech engine; default: as Debian names them. */
  readonly engineCommands?: EngineCommands;
  /** A speech engine without progress for this time plus the length of the audio so far is stopped. Default one minute. */
  readonly engineStallMilliseconds?: number;
}

/** The kinds of processors of this node, by the id of their declaration. */
export interface Processors {
  get(declarationId: string): Processor | undefined;
  list(): readonly Processor[];
}

/** Declared, so that templates with it can be read, and refused at upload (503) with what is missing. */
const withoutEngine = (declaration: ProcessorDeclaration, mode: 'live' | 'batch', reason: string): Processor => ({
  declaration,
  mode,
  unavailable: () => reason,
  run: () => Promise.reject(new ProcessorError('PROCESSOR_FEATURE_ERROR', reason)),
});

const NO_ROMANIAN = 'The offline speech engine understands English only: Romanian needs TRANSCRIBER_URL.';

interface Servers {
  readonly speech: SpeechServer | null;
  readonly model: ChatServer | null;
  readonly schemas: CallerSchemas;
}

const create = (declaration: ProcessorDeclaration, settings: ProcessorSettings, { speech, model, schemas }: Servers): Processor => {
  const http = () => speech && httpTranscriber(declaration, { server: speech, decoder: settings.engineCommands ?? DEBIAN_COMMANDS });
  const stall = settings.engineStallMilliseconds;
  const offline = () => ({
    clock: settings.clock,
    grammar: settings.transcriberGrammar,
    ...(settings.engineCommands ? { commands: settings.engineCommands } : {}),
    ...(stall === undefined ? {} : { stallMilliseconds: stall }),
  });
  switch (declaration.id) {
    case 'echo':
      return echoProcessor(declaration);
    case 'batch-transcriber':
      return http() ?? transcriberProcessor(declaration, offline());
    case 'llm':
      return model ? httpLlmProcessor(declaration, model, schemas) : offlineLlmProcessor(declaration, schemas);
    case 'romanian-transcriber':
      return http() ?? withoutEngine(declaration, 'batch', NO_ROMANIAN);
    case 'realtime-transcriber':
      return liveTranscriber(declaration, offline());
    case 'speaker-diarization':
      return diarizationProcessor(declaration, speech !== null);
    default:
      throw new Error(`no processor for the declaration ${declaration.id}`);
  }
};

/** All declared processors. */
export const openProcessors = (settings: ProcessorSettings): Processors => {
  const speech = settings.speechServer ? new SpeechServer(settings.speechServer, settings.clock) : null;
  const model = settings.languageModel ? new ChatServer(settings.languageModel, settings.clock) : null;
  const schemas = settings.schemas ?? openCallerSchemas(settings);
  const all = DECLARATIONS.map((declaration) => create(declaration, settings, { speech, model, schemas }));
  return { get: (id) => all.find(({ declaration }) => declaration.id === id), list: () => all };
};
