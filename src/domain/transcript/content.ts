import type { Transcription } from '../stream/messages.ts';
import { speakerIdsOf } from './speakers.ts';

/** An utterance with an id that edits keep. */
export interface Utterance {
  readonly id: string;
  readonly message: Transcription;
  /** Whether a person changed it. */
  readonly edited: boolean;
  /** It was split from the utterance before, without a space in between. */
  readonly glued?: true;
}

export interface Speaker {
  readonly id: string;
  readonly name: string | null;
}

/** A revision of a transcript. */
export interface TranscriptContent {
  readonly utterances: readonly Utterance[];
  readonly speakers: readonly Speaker[];
}

/** Names of speakers, by id. */
export type Names = ReadonlyMap<string, string>;

/** Revision 0: what the machine wrote, with names that an earlier attempt gave to the same ids. */
export const machineContent = (messages: readonly Transcription[], names: Names): TranscriptContent => {
  const utterances = inSpokenOrder(messages.filter(({ transcription }) => transcription !== '')).map(
    (message, n): Utterance => ({ id: `u${n}`, message, edited: false }),
  );
  const ids = new Set(utterances.flatMap(({ message }) => speakerIdsOf(message)));
  return { utterances, speakers: [...ids].map((id) => ({ id, name: names.get(id) ?? null })) };
};

/** Merges channels: they are transcribed one after another but were spoken simultaneously. */
export const inSpokenOrder = (messages: readonly Transcription[]): readonly Transcription[] =>
  messages.some(({ channel }) => channel !== null) ? messages.toSorted((a, b) => startOf(a) - startOf(b)) : messages;

/** The same for utterances. */
export const utterancesInOrder = (utterances: readonly Utterance[]): readonly Utterance[] =>
  utterances.some(({ message }) => message.channel !== null)
    ? utterances.toSorted((a, b) => startOf(a.message) - startOf(b.message))
    : utterances;

const startOf = ({ start }: Transcription): number => start ?? 0;

/** The text as people read it. */
export const textOf = ({ words, transcription }: Pick<Transcription, 'words' | 'transcription'>): string =>
  (words.length > 0 ? words.map(({ word }) => word).join('') : transcription).trim();

/** Whether two contents are the same. Edits keep the utterances that they do not change. */
export const isSame = (a: TranscriptContent, b: TranscriptContent): boolean =>
  a.utterances.length === b.utterances.length &&
  a.speakers.length === b.speakers.length &&
  a.utterances.every((utterance, n) => utterance === b.utterances[n]) &&
  a.speakers.every(({ id, name }, n) => id === b.speakers[n]?.id && name === b.speakers[n]?.name);
