import type { StreamResults } from './results.ts';
import { utteranceLine } from './text.ts';
import type { Utterance } from './transcript.ts';

type Cue = Utterance & { readonly start: number; readonly end: number };

/** Whether any utterance has times: a speech server may not return any. */
export const hasCues = (results: readonly StreamResults[]): boolean =>
  results.some(({ transcript }) => transcript?.utterances.some(isCue) ?? false);

/** SubRip. Numbering continues across streams; times are those of each stream. */
export const exportSrt = (results: readonly StreamResults[]): string =>
  cuesOf(results)
    .map((cue, n) => `${n + 1}\n${time(cue.start, ',')} --> ${time(cue.end, ',')}\n${cueText(cue)}\n`)
    .join('\n');

/** WebVTT, with markup characters escaped. */
export const exportVtt = (results: readonly StreamResults[]): string =>
  [
    'WEBVTT\n',
    ...cuesOf(results).map((cue, n) => `${n + 1}\n${time(cue.start, '.')} --> ${time(cue.end, '.')}\n${escaped(cueText(cue))}\n`),
  ].join('\n');

/** One cue for each utterance with words and times. */
const cuesOf = (results: readonly StreamResults[]): Cue[] =>
  results.flatMap(({ transcript }) => transcript?.utterances.filter(isCue) ?? []);

const cueText = (cue: Cue): string => utteranceLine(cue).replaceAll('-->', '→');

const isCue = (utterance: Utterance): utterance is Cue =>
  utterance.start !== undefined && utterance.end !== undefined && /\S/.test(utterance.text);

/** `01:02:03,004` from milliseconds. */
const time = (milliseconds: number, separator: string): string => {
  const whole = Math.max(0, Math.round(milliseconds));
  const part = (unit: number, modulo: number): string => String(Math.floor(whole / unit) % modulo).padStart(2, '0');
  return `${part(3_600_000, 1_000_000)}:${part(60_000, 60)}:${part(1_000, 60)}${separator}${String(whole % 1_000).padStart(3, '0')}`;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
