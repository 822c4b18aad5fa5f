/** Engine, model and language of a result, from the `metadata` of its messages. Null where unknown. */
export interface Origin {
  readonly engine: string | null;
  readonly model: string | null;
  readonly language: string | null;
  readonly warnings: readonly string[];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The distinct origins of messages, in order of their first. Languages are kept apart, so that a mixed recording names each. */
export const originsOf = (metadata: readonly unknown[]): readonly Origin[] => {
  const origins = new Map<string, Origin>();
  for (const one of metadata) {
    const members: Readonly<Record<string, unknown>> = typeof one === 'object' && one !== null ? { ...one } : {};
    const engine = textOf(members.engine);
    if (engine === null) continue;
    const warnings = Array.isArray(members.warnings) ? members.warnings.filter((warning) => typeof warning === 'string') : [];
    const origin: Origin = { engine, model: textOf(members.model), language: textOf(members.language), warnings };
    origins.set(JSON.stringify(origin), origin);
  }
  return [...origins.values()];
};

// The offline engines of the llm processor: they choose and count, they do not write.
const OFFLINE: Readonly<Record<string, string>> = {
  extractive: 'Extract: sentences of the text itself, chosen without a language model.',
  lexicon: 'Rated with an English word list, without a language model. Text in other languages reads as neutral.',
};

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

const languageName = (code: string): string => {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
};

/** Results of older versions do not name the model. */
const written = (model: string | null): string => (model ? `Written by the language model ${model}.` : 'Written by a language model.');

/** One line for a reader: engine, model and language, then the warnings. */
export const originInWords = ({ engine, model, language, warnings }: Origin): string => {
  const known = engine === 'llm' ? written(model) : engine && OFFLINE[engine];
  const made = known || `Made by ${[engine, model && `model ${model}`, language && languageName(language)].filter(Boolean).join(', ')}.`;
  return [made, ...warnings].join(' ');
};

/** The offline engine that made a result, if one did. */
export const isOffline = (origins: readonly Origin[], engine: 'lexicon' | 'extractive'): boolean =>
  origins.some((origin) => origin.engine === engine);
