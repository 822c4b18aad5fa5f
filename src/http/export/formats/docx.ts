import { Document, Paragraph as DocxParagraph, HeadingLevel, Packer, TextRun } from 'docx';
import type { StreamResults } from '../../../results/results.ts';
import type { Paragraph } from './paragraphs.ts';
import { type StreamText, streamText } from './streamText.ts';
import { SUMMARY, TRANSCRIPT } from './text.ts';

/** A Word document of one or more streams: title, date, summary, then paragraphs with bold speakers and their times. */
export const exportDocx = async (results: readonly StreamResults[]): Promise<Uint8Array> => {
  const texts = results.map(streamText);
  const document = new Document({
    ...{ creator: 'Tributary', lastModifiedBy: 'Tributary', title: readable(texts[0]?.title ?? '') },
    sections: [{ children: texts.flatMap(childrenOf) }],
  });
  return Packer.toBuffer(document);
};

const childrenOf = ({ title, date, summary, paragraphs }: StreamText): DocxParagraph[] => [
  new DocxParagraph({ text: readable(title), heading: HeadingLevel.HEADING_1 }),
  new DocxParagraph({ text: date, spacing: { after: SPACE } }),
  ...summaryOf(summary),
  ...paragraphs.map(paragraphOf),
];

const summaryOf = (lines: readonly string[]): DocxParagraph[] =>
  lines.length === 0
    ? []
    : [headingOf(SUMMARY), ...lines.map((text) => paragraphOf({ speaker: null, time: null, text })), headingOf(TRANSCRIPT)];

const headingOf = (text: string): DocxParagraph => new DocxParagraph({ text, heading: HeadingLevel.HEADING_2 });

/** Twentieths of a point. */
const SPACE = 160;
const GREY = '666666';

const paragraphOf = ({ speaker, time, text }: Paragraph): DocxParagraph =>
  new DocxParagraph({
    spacing: { after: SPACE },
    children: [
      ...(speaker === null ? [] : [new TextRun({ text: `${readable(speaker)} `, bold: true })]),
      ...(time === null ? [] : [new TextRun({ text: `${time} `, color: GREY })]),
      new TextRun(readable(text)),
    ],
  });

/** XML has no control characters. */
const readable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, ' ');
