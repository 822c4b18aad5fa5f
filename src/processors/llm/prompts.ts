import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { isAutomatic } from '../transcriber/languages.ts';
import type { SummaryLength, SummaryStructure } from './extracts.ts';

export interface Question {
  readonly promptId: string;
  readonly content: string;
  readonly systemPrompt: string | null;
  /** A JSON Schema as text. */
  readonly format: string | null;
}

export type SummaryTone = 'conversational' | 'informative';

export interface SummaryStyle {
  readonly length: SummaryLength;
  readonly tone: SummaryTone;
  readonly structure: SummaryStructure;
  /** Language as the caller named it; `null`: the transcript's language. */
  readonly language: string | null;
}

export interface Enhancement {
  readonly model: 'standard' | 'enhanced';
  readonly vocabulary: readonly string[];
  readonly systemPrompt: string | null;
}

/** The work that the properties of an llm processor ask for. */
export interface Prompts {
  readonly summary: SummaryStyle | null;
  readonly sentiment: boolean;
  readonly questions: readonly Question[];
  readonly enhanced: Enhancement | null;
}

/** Whether the properties ask for anything. */
export const hasPrompt = ({ summary, sentiment, questions, enhanced }: Prompts): boolean =>
  summary !== null || sentiment || enhanced !== null || questions.length > 0;

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

const languageOf = ({ language }: JsonObject): string | null => {
  const named = textOf(language);
  return named !== null && isAutomatic(named) ? null : named;
};

/** Comma-separated text or a list. */
const vocabularyOf = (value: Json | undefined): string[] => {
  const words = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return words.flatMap((word) => (typeof word === 'string' && word.trim() !== '' ? [word.trim()] : []));
};

const enhancementOf = (properties: JsonObject): Enhancement | null => {
  if (properties.enabled !== true) return null;
  const { model, vocabulary, systemPrompt } = properties;
  return {
    model: model === 'enhanced' ? 'enhanced' : 'standard',
    vocabulary: vocabularyOf(vocabulary),
    systemPrompt: textOf(systemPrompt),
  };
};

/** Reads properties that match the declaration's schema. Missing ones get the schema's default. */
export const promptsOf = (properties: JsonObject): Prompts => {
  const summary = objectOf(properties.summary);
  const style = objectOf(summary.properties);
  const asked = objectOf(properties.askAnything);
  const questions = ['0', '1', '2'].flatMap((number) => {
    const prompt = objectOf(asked[number]);
    const content = textOf(prompt.content);
    const format = textOf(objectOf(prompt.responseFormat).specification);
    return content === null
      ? []
      : [{ promptId: textOf(prompt.promptId) ?? number, content, systemPrompt: textOf(prompt.systemPrompt), format }];
  });
  return {
    summary:
      summary.enabled === true
        ? {
            length: style.length === 'detailed' ? 'detailed' : 'brief',
            tone: style.tone === 'informative' ? 'informative' : 'conversational',
            structure: style.structure === 'bullet_points' ? 'bullet_points' : 'paragraphs',
            language: languageOf(summary),
          }
        : null,
    sentiment: objectOf(properties.sentimentAnalysis).enabled === true,
    questions,
    enhanced: enhancementOf(objectOf(properties.enhancedTranscription)),
  };
};
