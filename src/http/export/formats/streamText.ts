import type { StreamResults } from '../../../results/results.ts';
import { streamTitle } from '../../streams/uploadName.ts';
import { type Paragraph, paragraphsOf } from './paragraphs.ts';
import { onOneLine } from './speakers.ts';
import { textsOf } from './text.ts';

/** The content of a document for people about one stream. */
export interface StreamText {
  readonly title: string;
  /** `YYYY-MM-DD`, of the upload. */
  readonly date: string;
  /** Above the paragraphs. Empty without a summary, and where the summary is the text. */
  readonly summary: readonly string[];
  readonly paragraphs: readonly Paragraph[];
}

/** The transcription; otherwise the texts. */
export const streamText = (results: StreamResults): StreamText => {
  const { streamId, createdTimestamp } = results.stream;
  const paragraphs = results.transcript ? paragraphsOf(results.transcript) : textsOf(results).flatMap(plainParagraphs);
  const summary = results.transcript ? results.summaries.flatMap(linesOf) : [];
  return { summary, title: onOneLine(streamTitle(results.stream) || streamId), date: createdTimestamp.slice(0, 10), paragraphs };
};

const plainParagraphs = (text: string): Paragraph[] => linesOf(text).map((line) => ({ speaker: null, time: null, text: line }));

const linesOf = (text: string): string[] =>
  text
    .split(/\n+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
