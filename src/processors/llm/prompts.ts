import type { Json, JsonObject } from '../../json.ts';
import type { SummaryLength, SummaryStructure } from './extracts.ts';

export interface Question {
  readonly promptId: string;
  readonly content: string;
  /** A JSON Schema as text. */
  readonly format: string | null;
}

/** What the properties of a stream's llm processor ask for. */
export interface Prompts {
  readonly summary: { readonly length: SummaryLength; readonly structure: SummaryStructure } | null;
  readonly sentiment: boolean;
  readonly questions: readonly Question[];
  readonly enhanced: boolean;
}

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

/** Reads properties that fit the declaration's schema; what is absent has the schema's default. */
export const promptsOf = (properties: JsonObject): Prompts => {
  const summary = objectOf(properties.summary);
  const style = objectOf(summary.properties);
  const asked = objectOf(properties.askAnything);
  const questions = ['0', '1', '2'].flatMap((number) => {
    const prompt = objectOf(asked[number]);
    const content = textOf(prompt.content);
    const format = textOf(objectOf(prompt.responseFormat).specification);
    return content === null ? [] : [{ promptId: textOf(prompt.promptId) ?? number, content, format }];
  });
  return {
    summary:
      summary.enabled === true
        ? {
            length: style.length === 'detailed' ? 'detailed' : 'brief',
            structure: style.structure === 'bullet_points' ? 'bullet_points' : 'paragraphs',
          }
        : null,
    sentiment: objectOf(properties.sentimentAnalysis).enabled === true,
    questions,
    enhanced: objectOf(properties.enhancedTranscription).enabled === true,
  };
};
