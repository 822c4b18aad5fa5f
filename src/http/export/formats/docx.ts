import { Document, Paragraph as DocxParagraph, HeadingLevel, Packer, TextRun } from 'docx';
import type { StreamResults } from '../results.ts';
import type { Paragraph } from './paragraphs.ts';
import { type StreamText, streamText } from './streamText.ts';

/** A Word document of one or more streams: title, date, then paragraphs with bold speakers and their times. */
export const exportDocx = async (results: readonly StreamResults[]): Promise<Uint8Array> => {
  const texts = results.map(streamText);
  const document = new Document({ title: readable(texts[0]?.title ?? ''), sections: [{ children: texts.flatMap(childrenOf) }] });
  return Packer.toBuffer(document);
};

const childrenOf = ({ title, date, paragraphs }: StreamText): DocxParagraph[] => [
  new DocxParagraph({ text: readable(title), heading: HeadingLevel.HEADING_1 }),
  new DocxParagraph({ text: date, spacing: { after: SPACE } }),
  ...paragraphs.map(paragraphOf),
];

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
