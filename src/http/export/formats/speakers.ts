import type { Utterance } from '../transcript.ts';

type Spoken = Pick<Utterance, 'speakerIds' | 'channel' | 'spokenBy'>;

/** `A`, or `A, B` for several. Channels become letters in order. `null` without speaker and channel. */
export const speakerOf = ({ speakerIds, channel }: Spoken): string | null => {
  if (speakerIds && speakerIds.length > 0) return speakerIds.join(', ');
  return channel === undefined ? null : letterOf(channel);
};

/** The speaker as people see it, on one line: a name, or `Speaker A`. `null` without speaker and channel. */
export const speakerName = (utterance: Spoken): string | null => {
  const speaker = speakerOf(utterance);
  return speaker === null ? null : onOneLine(utterance.spokenBy ?? `Speaker ${speaker}`);
};

/** An empty line would end a caption, and the rest would be read as another one. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');

const letterOf = (channel: string): string =>
  /^\d{1,2}$/.test(channel) && Number(channel) < 26 ? String.fromCharCode(65 + Number(channel)) : channel;
