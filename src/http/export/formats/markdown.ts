import type { StreamResults } from '../../../results/results.ts';
import type { Paragraph } from './paragraphs.ts';
import { streamText } from './streamText.ts';
import { SUMMARY, TRANSCRIPT } from './text.ts';

/** Markdown of one or more streams: title, date, summary, then paragraphs with bold speakers and their times. */
export const exportMarkdown = (results: readonly StreamResults[]): string =>
  results
    .map(streamText)
    .map(({ title, date, summary, paragraphs }) =>
      [`# ${escaped(title)}`, date, ...summaryText(summary), ...paragraphs.map(paragraphText)].join('\n\n'),
    )
    .join('\n\n')
    .concat('\n');

const summaryText = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`## ${SUMMARY}`, ...lines.map(escaped), `## ${TRANSCRIPT}`];

const paragraphText = ({ speaker, time, text }: Paragraph): string =>
  [speaker && `**${escaped(speaker)}**`, time && `[${time}]`, escaped(text)].filter((part) => part !== null).join(' ');

/** Nothing that was said is markup. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replace(/^(\s*)([-+]|\d+[.)])(?=\s|$)/, (_, space: string, mark: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}`);
