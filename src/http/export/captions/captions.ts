import type { StreamResults } from '../../../results/results.ts';
import { type Cue, cuesOf } from './cues.ts';
import { type CaptionLayout, DEFAULT_LAYOUT } from './layout.ts';
import { isTimed } from './pieces.ts';

/** Whether there are captions, empty ones if no speech was found. A speech server may return text without times. */
export const hasCaptions = (results: readonly StreamResults[]): boolean => {
  const transcripts = results.flatMap(({ transcript }) => transcript ?? []);
  const isSilent = transcripts.every(({ transcription }) => transcription.text.trim() === '');
  return transcripts.length > 0 && (isSilent || transcripts.some(({ utterances }) => utterances.some(isTimed)));
};

/** SubRip. Numbering continues across streams. A speaker is named where another one begins. */
export const exportSrt = (results: readonly StreamResults[], layout: CaptionLayout = DEFAULT_LAYOUT): string =>
  allCues(results, layout, true)
    .map(({ start, end, text }, n) => `${n + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${text}\n`)
    .join('\n');

/** WebVTT, with speakers as voices and markup characters escaped. */
export const exportVtt = (results: readonly StreamResults[], layout: CaptionLayout = DEFAULT_LAYOUT): string =>
  [
    'WEBVTT\n',
    ...allCues(results, layout, false).map((cue, n) => `${n + 1}\n${time(cue.start, '.')} --> ${time(cue.end, '.')}\n${spoken(cue)}\n`),
  ].join('\n');

const allCues = (results: readonly StreamResults[], layout: CaptionLayout, named: boolean): Cue[] =>
  results.flatMap(({ transcript }) => (transcript ? withEnds(cuesOf(transcript.utterances, { layout, named })) : []));

/** Times are shown in whole milliseconds, in which a cue must still end after its start. */
const withEnds = (cues: readonly Cue[]): Cue[] =>
  cues.map((cue) => {
    const start = Math.max(0, Math.round(cue.start));
    return { ...cue, start, end: Math.max(Math.round(cue.end), start + 1) };
  });

const spoken = ({ speaker, text }: Cue): string => (speaker === null ? '' : `<v ${escaped(speaker)}>`) + escaped(text);

/** `01:02:03,004` from milliseconds. */
const time = (milliseconds: number, separator: string): string => {
  const part = (unit: number, modulo: number): string => String(Math.floor(milliseconds / unit) % modulo).padStart(2, '0');
  const fraction = String(milliseconds % 1_000).padStart(3, '0');
  return `${part(3_600_000, 1_000_000)}:${part(60_000, 60)}:${part(1_000, 60)}${separator}${fraction}`;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
