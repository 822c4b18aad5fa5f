import type { TranscribedWord, Transcription } from '../domain/stream/messages.ts';
import { inSpokenOrder, type Names } from '../domain/transcript/content.ts';
import { shownSpeakers, speakerIdsOf, textList } from '../domain/transcript/speakers.ts';
import type { Shape } from '../json.ts';
import type { TRANSCRIPT, UTTERANCE, WORD } from './resultSchemas.ts';

export type Word = Shape<typeof WORD>;
export type Utterance = Shape<typeof UTTERANCE> & {
  /** Who says it, where a person has named a speaker. JSON does not show it. */
  spokenBy?: string;
};
/** Joined without separator, the words give the text. */
export type Transcript = Omit<Shape<typeof TRANSCRIPT>, 'utterances'> & { utterances: Utterance[] };

/** Builds the transcript of one stream from its final messages in spoken order. */
export const transcriptOf = (messages: readonly Transcription[], names: Names = new Map()): Transcript => {
  const words: Word[] = [];
  const utterances: Utterance[] = [];
  // A list, because appending to one string and reading its end would copy it for every message.
  const texts: string[] = [];
  let before = '';
  for (const message of inSpokenOrder(messages)) {
    const utterance = named(utteranceOf(message), names);
    const gap = needsSpace(before, utterance.text) ? ' ' : '';
    texts.push(gap + utterance.text);
    before = utterance.text || before;
    for (const [n, word] of utterance.words.entries()) words.push(n === 0 && gap ? { ...word, word: gap + word.word } : word);
    if (message.utterance) utterances.push(utterance);
  }
  return { transcription: { text: texts.join(''), words }, utterances };
};

const named = (utterance: Utterance, names: Names): Utterance => {
  const { speakerIds = [] } = utterance;
  if (!speakerIds.some((id) => names.has(id))) return utterance;
  return { ...utterance, spokenBy: shownSpeakers({ speakerIds }, names).join(', ') };
};

export const utteranceOf = (message: Transcription): Utterance => {
  const words = message.words.map((word) => wordOf(word, message.channel));
  const speakerIds = [...speakerIdsOf(message)];
  const overlap = overlapOf(message, words);
  return {
    ...(speakerIds.length > 0 && { speakerIds }),
    ...(overlap !== undefined && { overlap }),
    ...(message.channel !== null && { channel: message.channel }),
    ...(message.start !== null && { start: message.start }),
    ...(message.end !== null && { end: message.end }),
    text: words.length > 0 ? words.map(({ word }) => word).join('') : message.transcription,
    words,
  };
};

const wordOf = ({ word, start, end, confidence, language, metadata }: TranscribedWord, channel: string | null): Word => {
  const speakers = textList(metadata.speakers);
  const overlap = metadata.speakersOverlap;
  return {
    word,
    ...(start !== null && { start }),
    ...(end !== null && { end }),
    ...(confidence !== null && { confidence }),
    ...(language !== null && { language }),
    ...(speakers && { speakers }),
    ...(typeof overlap === 'boolean' && { speakersOverlap: overlap }),
    ...(channel !== null && { channel }),
  };
};

const overlapOf = ({ metadata }: Transcription, words: readonly Word[]): boolean | undefined => {
  const said = metadata.overlap ?? metadata.speakersOverlap;
  if (typeof said === 'boolean') return said;
  return words.some((word) => word.speakersOverlap !== undefined) ? words.some((word) => word.speakersOverlap === true) : undefined;
};

const needsSpace = (before: string, after: string): boolean => before !== '' && after !== '' && !/\s$/.test(before) && !/^\s/.test(after);
