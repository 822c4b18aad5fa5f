import type { Json } from '../../json.ts';
import type { TranscribedWord, Transcription } from '../stream/messages.ts';

/** Ids of the speakers of an utterance: from its diarization, otherwise from its words. */
export const speakerIdsOf = ({ metadata, words }: Pick<Transcription, 'metadata' | 'words'>): readonly string[] =>
  textList(metadata.speakerIds) ??
  textList(metadata.speakers) ?? [...new Set(words.flatMap((word) => textList(word.metadata.speakers) ?? []))];

/** A speaker as people see it in every export, page, search result and prompt: the name, or `Speaker A`. The dashboard has the same rule (`web/src/results/speakers.ts`). */
export const shownSpeaker = (id: string, name: string | null | undefined): string => name ?? `Speaker ${id}`;

/** The speakers of an utterance as people see them. One without speakers was said by its channel; empty without a channel, too. */
export const shownSpeakers = (
  { speakerIds, channel }: { readonly speakerIds?: readonly string[]; readonly channel?: string | null },
  names: ReadonlyMap<string, string | null> = new Map(),
): readonly string[] => {
  if (speakerIds && speakerIds.length > 0) return speakerIds.map((id) => shownSpeaker(id, names.get(id)));
  return channel == null ? [] : [shownSpeaker(speakerOfChannel(channel), null)];
};

/** Channels become letters in order: `0` is `A`. */
export const speakerOfChannel = (channel: string): string =>
  /^\d{1,2}$/.test(channel) && Number(channel) < 26 ? String.fromCharCode(65 + Number(channel)) : channel;

/** The utterance as said by one speaker alone: without overlap, where its engine says anything about that. */
export const saidBy = (message: Transcription, speaker: string): Transcription => {
  const { speakers: _, ...metadata } = message.metadata;
  const speakers = [speaker];
  return {
    ...message,
    metadata: {
      ...metadata,
      speakerIds: speakers,
      ...(metadata.overlap !== undefined && { overlap: false }),
      ...(metadata.speakersOverlap !== undefined && { speakersOverlap: false }),
    },
    words: message.words.map((word) => ({
      ...word,
      metadata: { ...word.metadata, speakers, ...(word.metadata.speakersOverlap !== undefined && { speakersOverlap: false }) },
    })),
  };
};

/** The utterance with one speaker in place of another, wherever that one is named. */
export const joinedInto = (message: Transcription, speaker: string, into: string): Transcription => {
  const ids = speakerIdsOf(message).map((id) => (id === speaker ? into : id));
  const [only, ...others] = new Set(ids);
  if (only !== undefined && others.length === 0) return saidBy(message, only);
  return {
    ...message,
    metadata: { ...message.metadata, speakerIds: [...new Set(ids)] },
    words: message.words.map((word) => joinedWord(word, speaker, into)),
  };
};

const joinedWord = (word: TranscribedWord, speaker: string, into: string): TranscribedWord => {
  const ids = textList(word.metadata.speakers);
  if (!ids?.includes(speaker)) return word;
  return { ...word, metadata: { ...word.metadata, speakers: [...new Set(ids.map((id) => (id === speaker ? into : id)))] } };
};

/** The texts of a list in metadata; `undefined` if it is not a list. */
export const textList = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
