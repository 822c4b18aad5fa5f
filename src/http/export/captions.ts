import type { StreamResults } from './results.ts';
import { utteranceLine } from './text.ts';

interface Cue {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Whether any utterance has times: a speech server may not return any. */
export const hasCues = (results: readonly StreamResults[]): boolean => cuesOf(results).length > 0;

/** SubRip. Numbering continues across streams; times are those of each stream. */
export const exportSrt = (results: readonly StreamResults[]): string =>
  cuesOf(results)
    .map(({ number, start, end, text }) => `${number}\n${time(start, ',')} --> ${time(end, ',')}\n${text}\n`)
    .join('\n');

/** WebVTT with markup characters escaped. */
export const exportVtt = (results: readonly StreamResults[]): string =>
  `WEBVTT\n${cuesOf(results)
    .map(({ number, start, end, text }) => `\n${number}\n${time(start, '.')} --> ${time(end, '.')}\n${escaped(text)}\n`)
    .join('')}`;

/** One cue for each utterance with words and times. */
const cuesOf = (results: readonly StreamResults[]): Cue[] => {
  const cues: Cue[] = [];
  for (const utterance of results.flatMap(({ transcript }) => transcript?.utterances ?? [])) {
    const { start, end } = utterance;
    if (start === undefined || end === undefined || utterance.text.trim() === '') continue;
    cues.push({ number: cues.length + 1, start, end, text: utteranceLine(utterance).replaceAll('-->', '→') });
  }
  return cues;
};

/** `01:02:03,004` from milliseconds. */
const time = (milliseconds: number, separator: string): string => {
  const whole = Math.max(0, Math.round(milliseconds));
  const part = (unit: number, modulo: number): string => String(Math.floor(whole / unit) % modulo).padStart(2, '0');
  return `${part(3_600_000, 1_000_000)}:${part(60_000, 60)}:${part(1_000, 60)}${separator}${String(whole % 1_000).padStart(3, '0')}`;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
