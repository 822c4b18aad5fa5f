import type { StreamResults } from '../../../results/results.ts';
import type { Utterance } from '../../../results/transcript.ts';
import { onOneLine, speakerName } from './speakers.ts';

const HEADER = ['start', 'end', 'speaker', 'text', 'confidence'];

/** A row for each utterance (RFC 4180). Times in milliseconds; the confidence is the mean of the words. Unknown values are empty. */
export const exportCsv = (results: readonly StreamResults[]): string => {
  const rows = results.flatMap(({ transcript }) => transcript?.utterances.map(rowOf) ?? []);
  return [HEADER, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
};

const rowOf = (utterance: Utterance): string[] => [
  millisecondsOf(utterance.start),
  millisecondsOf(utterance.end),
  harmless(speakerName(utterance) ?? ''),
  harmless(onOneLine(utterance.text.trim())),
  confidenceOf(utterance),
];

const millisecondsOf = (time: number | undefined): string => (time === undefined ? '' : String(Math.round(time)));

const confidenceOf = ({ words }: Utterance): string => {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  if (known.length === 0) return '';
  return String(Number((known.reduce((sum, confidence) => sum + confidence, 0) / known.length).toFixed(4)));
};

/** A spreadsheet would run such a text as a formula. */
const harmless = (text: string): string => (/^[=+\-@]/.test(text) ? `'${text}` : text);

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
