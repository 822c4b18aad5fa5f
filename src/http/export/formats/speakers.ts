import { shownSpeakers, speakerOfChannel } from '../../../domain/transcript/speakers.ts';
import type { Utterance } from '../../../results/transcript.ts';

type Spoken = Pick<Utterance, 'speakerIds' | 'channel' | 'spokenBy'>;

/** Ids: `A`, or `A, B` for several. Channels become letters in order. `null` without speaker and channel. */
export const speakerOf = ({ speakerIds, channel }: Spoken): string | null => {
  if (speakerIds && speakerIds.length > 0) return speakerIds.join(', ');
  return channel === undefined ? null : speakerOfChannel(channel);
};

/** The speaker as people see it, on one line: a name, or `Speaker A`. `null` without speaker and channel. */
export const speakerName = (utterance: Spoken): string | null =>
  onOneLine(utterance.spokenBy ?? shownSpeakers(utterance).join(', ')) || null;

/** An empty line would end a caption, and the rest would be read as another one. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');
