import type { Json } from '../api/types.ts';

/** The JSON value of a text, or its error. An empty text has neither. */
export type JsonDraft =
  | { readonly value: Json | undefined; readonly problem: null }
  | { readonly value: undefined; readonly problem: string };

/** Names the line of an error if the browser reports it. */
export const jsonDraft = (text: string): JsonDraft => {
  if (text.trim() === '') return { value: undefined, problem: null };
  try {
    // JSON.parse returns JSON.
    return { value: JSON.parse(text) as Json, problem: null };
  } catch (error) {
    const line = lineOf(error instanceof Error ? error.message : '', text);
    return { value: undefined, problem: line === null ? 'This is not valid JSON.' : `This is not valid JSON: see line ${line}.` };
  }
};

/** From "... at position 25" (Chromium) or "... at line 3 column 1" (Firefox). */
const lineOf = (message: string, text: string): number | null => {
  const stated = /line (\d+)/.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  if (/unexpected end/i.test(message)) return text.split('\n').length;
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
};
