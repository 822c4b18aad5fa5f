/** Engine, model and language of a result, from the `metadata` of its messages. Null where unknown. */
export interface Origin {
  readonly engine: string | null;
  readonly model: string | null;
  readonly language: string | null;
  /** For people. */
  readonly warnings: readonly string[];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A warning's message. Older results have bare text. */
const messageOf = (warning: unknown): string | null =>
  textOf(typeof warning === 'object' && warning !== null && 'message' in warning ? warning.message : warning);

/** The distinct origins of messages with all their warnings, in order of their first. Languages are kept apart, so that a mixed recording names each. */
export const originsOf = (metadata: readonly unknown[]): readonly Origin[] => {
  const origins = new Map<string, Origin>();
  for (const one of metadata) {
    const members: Readonly<Record<string, unknown>> = typeof one === 'object' && one !== null ? { ...one } : {};
    const engine = textOf(members.engine);
    if (engine === null) continue;
    const made = { engine, model: textOf(members.model), language: textOf(members.language) };
    const key = JSON.stringify(made);
    const warnings = Array.isArray(members.warnings) ? members.warnings.map(messageOf).filter((message) => message !== null) : [];
    origins.set(key, { ...made, warnings: [...new Set([...(origins.get(key)?.warnings ?? []), ...warnings])] });
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

/** One line for a reader: engine, model and language. */
export const originInWords = ({ engine, model, language }: Omit<Origin, 'warnings'>): string => {
  const known = engine === 'llm' ? written(model) : engine && OFFLINE[engine];
  return known || `Made by ${[engine, model && `model ${model}`, language && languageName(language)].filter(Boolean).join(', ')}.`;
};

/** The offline engine that made a result, if one did. */
export const isOffline = (origins: readonly Origin[], engine: 'lexicon' | 'extractive'): boolean =>
  origins.some((origin) => origin.engine === engine);
