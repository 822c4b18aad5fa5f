import type { QueryParameters, QueryValues } from '../../route/route.ts';
import { type CaptionLayout, DEFAULT_LAYOUT } from './layout.ts';

/** How SRT and VTT are divided. */
export const CAPTION_PARAMETERS = {
  maxLineLength: {
    schema: { type: 'integer', minimum: 10, maximum: 200 },
    description:
      'Most characters in a line of SRT and VTT. Default: 42, or 16 for Chinese, Japanese and Korean. A longer word is not divided.',
  },
  maxLines: { schema: { type: 'integer', minimum: 1, maximum: 5 }, description: 'Most lines of a cue of SRT and VTT. Default: 2.' },
  maxCueDuration: {
    schema: { type: 'integer', minimum: 1_000, maximum: 60_000 },
    description: 'Longest cue of SRT and VTT, in milliseconds. Default: 7,000.',
  },
  cues: {
    schema: { title: 'CaptionCues', type: 'string', enum: ['readable', 'utterance'] },
    description: '`readable`, the default, keeps these limits; `utterance` gives one cue for each utterance, on one line.',
  },
} as const satisfies QueryParameters;

export const captionLayoutOf = (query: QueryValues<typeof CAPTION_PARAMETERS>): CaptionLayout => ({
  maxLineLength: query.maxLineLength ?? DEFAULT_LAYOUT.maxLineLength,
  maxLines: query.maxLines ?? DEFAULT_LAYOUT.maxLines,
  maxCueDuration: query.maxCueDuration ?? DEFAULT_LAYOUT.maxCueDuration,
  byUtterance: query.cues === 'utterance',
});
