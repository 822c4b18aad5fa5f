import type { TemplateLibrary } from '../../../commands/templateLibrary.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { Problem } from '../../../domain/problem.ts';
import type { OperationType } from '../../../domain/stream/streamConfiguration.ts';
import { BUILTIN_NAMES } from '../../../domain/templates/builtinTemplates.ts';
import { uploadOperations } from '../../../domain/templates/keptTemplate.ts';
import type { TemplatePlace } from '../../../domain/templates/state.ts';
import type { StreamConfigurationTemplate } from '../../../domain/templates/template.ts';
import { invalidField, modelNotFound, OpenAiProblem } from '../../errors/openAiErrors.ts';
import { type UploadPlanner, unpatched } from '../../gateway/planner.ts';

const RECORDED = '668115d123bca7e3509723d4';
const DIARIZED = '669fee048452492b62cfad39';
const REAL_TIME = '670ba9e0efa59fe6aecd56f1';

/** OpenAI's model names for recordings, and the built-in templates they select. */
const RECORDED_MODELS: ReadonlyMap<string, string> = new Map([
  ['gpt-transcribe', RECORDED],
  ['whisper-1', RECORDED],
  ['gpt-4o-transcribe', RECORDED],
  ['gpt-4o-mini-transcribe', RECORDED],
  ['gpt-4o-transcribe-diarize', DIARIZED],
]);

/** OpenAI's model name for live audio. The names for recordings work there too. */
const LIVE_MODEL = 'gpt-live-transcribe';

/** `recorded` for files, `live` for realtime sessions. */
export type ModelUse = 'recorded' | 'live';

const OPERATIONS: Readonly<Record<ModelUse, OperationType>> = { recorded: 'BATCH_TRANSCRIPTION', live: 'REAL_TIME_TRANSCRIPTION' };

export interface SpeechModel {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
}

export interface SpeechModelDeps {
  readonly templates: Pick<TemplateLibrary, 'find' | 'list' | 'at'>;
  readonly planner: Pick<UploadPlanner, 'prepare' | 'checkEngines'>;
}

/** The templates that transcribe, under the names that `model` accepts. */
export class SpeechModels {
  readonly #deps: SpeechModelDeps;

  constructor(deps: SpeechModelDeps) {
    this.#deps = deps;
  }

  /** The template of a model: OpenAI's name, a template's id, or a template's name. Throws 404 `model_not_found`. */
  async template({ subject }: Caller, model: string, use: ModelUse): Promise<StreamConfigurationTemplate> {
    const id = standIn(model, use) ?? BUILTIN_NAMES.get(model) ?? model;
    const found = (await this.#deps.templates.find(subject, id))?.template ?? (await this.#named(subject, model, use));
    if (!found || !transcribes(uploadOperations(found), use)) throw modelNotFound(model);
    return found;
  }

  /** The template with speakers. */
  diarizing(caller: Caller): Promise<StreamConfigurationTemplate> {
    return this.template(caller, DIARIZED, 'recorded');
  }

  /** Every model that this server can run now, OpenAI's names first. */
  async list(caller: Caller): Promise<SpeechModel[]> {
    const visible = await this.#deps.templates.list(caller.subject);
    const running = new Map<string, TemplatePlace>();
    for (const place of visible) if (await this.#runs(place, caller)) running.set(place.id, place);
    const aliases = [...RECORDED_MODELS, [LIVE_MODEL, REAL_TIME] as const].filter(([, id]) => running.has(id)).map(([name]) => name);
    const timesOf = new Map<string, number>();
    for (const { name } of visible) timesOf.set(name, (timesOf.get(name) ?? 0) + 1);
    const named = [...running.values()].map(({ id, name }) => (timesOf.get(name) === 1 ? name : id));
    return [...aliases, ...named].map((id) => ({ id, created: CREATED }));
  }

  /** A model by any name that `model` accepts, under that name; `null` when this server cannot run it now. Throws 400 for a name of several templates. */
  async find(caller: Caller, model: string): Promise<SpeechModel | null> {
    for (const use of ['recorded', 'live'] as const) {
      const template = await this.template(caller, model, use).catch(nothingFound);
      if (template && (await this.#runs({ id: template.id, operations: uploadOperations(template) }, caller)))
        return { id: model, created: CREATED };
    }
    return null;
  }

  async #named(subject: string, name: string, use: ModelUse): Promise<StreamConfigurationTemplate | null> {
    const visible = await this.#deps.templates.list(subject);
    const named = visible.filter((one) => one.name === name && transcribes(one.operations, use));
    if (named.filter(({ layer }) => layer === 'user').length > 1)
      throw invalidField('model', `You have several templates named ${JSON.stringify(name)}. Give the id of one.`);
    const place = named[0];
    return (place && (await this.#deps.templates.at(subject, place)))?.template ?? null;
  }

  /** Whether it transcribes and all its processors have an engine. */
  async #runs({ id, operations }: Pick<TemplatePlace, 'id' | 'operations'>, caller: Caller): Promise<boolean> {
    if (!transcribes(operations, 'recorded') && !transcribes(operations, 'live')) return false;
    try {
      const { planner } = this.#deps;
      await planner.checkEngines(await planner.prepare(unpatched(id), caller));
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }
}

/** The release of these endpoints: templates have no time of their own. */
const CREATED = 1_795_132_800;

const nothingFound = (error: unknown): null => {
  if (error instanceof OpenAiProblem && error.code === 'model_not_found') return null;
  throw error;
};

const standIn = (model: string, use: ModelUse): string | undefined => {
  if (use === 'recorded') return RECORDED_MODELS.get(model);
  return model === LIVE_MODEL || RECORDED_MODELS.has(model) || /^gpt-(4o-(mini-)?)?realtime/.test(model) ? REAL_TIME : undefined;
};

const transcribes = (operations: readonly OperationType[], use: ModelUse): boolean => operations.includes(OPERATIONS[use]);
