import type { StreamResults } from './results.ts';
import { utteranceLine } from './text.ts';
import type { Utterance } from './transcript.ts';

interface Cue {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** In parts. */
  readonly text: Iterable<string>;
}

/** Whether any utterance has times: a speech server may not return any. Yields between utterances. */
export function* hasCues(results: readonly StreamResults[]): Generator<void, boolean, void> {
  for (const utterance of utterancesOf(results)) {
    if (isCue(utterance)) return true;
    yield;
  }
  return false;
}

/** SubRip in parts. Numbering continues across streams; times are those of each stream. */
export function* exportSrt(results: readonly StreamResults[]): Generator<string> {
  for (const cue of cuesOf(results)) {
    if (!cue) yield '';
    else {
      yield `${cue.number === 1 ? '' : '\n'}${cue.number}\n${time(cue.start, ',')} --> ${time(cue.end, ',')}\n`;
      yield* cue.text;
      yield '\n';
    }
  }
}

/** WebVTT in parts, with markup characters escaped. */
export function* exportVtt(results: readonly StreamResults[]): Generator<string> {
  yield 'WEBVTT\n';
  for (const cue of cuesOf(results)) {
    if (!cue) yield '';
    else {
      yield `\n${cue.number}\n${time(cue.start, '.')} --> ${time(cue.end, '.')}\n`;
      for (const part of cue.text) yield escaped(part);
      yield '\n';
    }
  }
}

/** One cue for each utterance with words and times; `null` for any other. */
function* cuesOf(results: readonly StreamResults[]): Generator<Cue | null> {
  let number = 0;
  for (const utterance of utterancesOf(results)) {
    if (isCue(utterance)) number += 1;
    yield isCue(utterance) ? { number, start: utterance.start, end: utterance.end, text: cueText(utterance) } : null;
  }
}

function* cueText(utterance: Utterance): Generator<string> {
  for (const part of utteranceLine(utterance)) yield part.replaceAll('-->', '→');
}

function* utterancesOf(results: readonly StreamResults[]): Generator<Utterance> {
  for (const { transcript } of results) yield* transcript?.utterances ?? [];
}

const isCue = (utterance: Utterance): utterance is Utterance & { start: number; end: number } =>
  utterance.start !== undefined && utterance.end !== undefined && /\S/.test(utterance.text);

/** `01:02:03,004` from milliseconds. */
const time = (milliseconds: number, separator: string): string => {
  const whole = Math.max(0, Math.round(milliseconds));
  const part = (unit: number, modulo: number): string => String(Math.floor(whole / unit) % modulo).padStart(2, '0');
  return `${part(3_600_000, 1_000_000)}:${part(60_000, 60)}:${part(1_000, 60)}${separator}${String(whole % 1_000).padStart(3, '0')}`;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
