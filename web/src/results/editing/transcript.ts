import { ApiError } from '../../api/errors.ts';
import { ask, getJson } from '../../api/request.ts';
import type { Utterance, Word } from '../results.ts';
import { shownSpeakers } from '../speakers.ts';

/** The transcript of a stream with its corrections, as the API has it. */
export interface StreamTranscript {
  /** The attempt of the stream that made the transcription. */
  readonly attempt: number;
  readonly revision: number;
  readonly speakers: readonly Speaker[];
  readonly utterances: readonly {
    readonly id: string;
    readonly speaker: string | null;
    readonly channel: string | null;
    readonly start: number | null;
    readonly end: number | null;
    readonly text: string;
    readonly words: readonly Word[];
    readonly edited: boolean;
  }[];
}

export interface Speaker {
  readonly id: string;
  /** `null` until someone names the speaker. */
  readonly name: string | null;
}

export type Edit =
  | { readonly op: 'text'; readonly utterance: string; readonly text: string }
  | { readonly op: 'speaker'; readonly utterance: string; readonly speaker: string }
  | { readonly op: 'name'; readonly speaker: string; readonly name: string | null }
  | { readonly op: 'join'; readonly speaker: string; readonly into: string }
  | { readonly op: 'split'; readonly utterance: string; readonly word: number }
  | { readonly op: 'merge'; readonly utterance: string }
  | { readonly op: 'replace'; readonly find: string; readonly with: string; readonly matchCase: boolean; readonly wholeWords: boolean };

/** A transcript and the tag that a change of it must name. */
export interface Read {
  readonly transcript: StreamTranscript;
  readonly tag: string;
}

export const pathOf = (streamId: string): string => `/stream-service/api/v1/streams/${encodeURIComponent(streamId)}/transcript`;

const readOf = async (response: Response): Promise<Read> => ({
  transcript: await response.json(),
  tag: response.headers.get('ETag') ?? '',
});

/** `null` if the stream has no transcript that can be corrected. Default attempt: the newest. */
export const readTranscript = (streamId: string, signal?: AbortSignal, attempt?: number): Promise<Read | null> => {
  const read = ask('GET', pathOf(streamId), { signal, query: { attempt } }).then(readOf);
  return unlessNone(read, null);
};

/** The same, or `none` of a stream without a transcript that can be corrected. */
export const unlessNone = async <T, None>(reading: Promise<T>, none: None): Promise<T | None> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && [404, 409, 410].includes(error.status)) return none;
    throw error;
  }
};

/** The transcript of an attempt as it was at a time, ISO 8601. */
export const transcriptThen = (streamId: string, then: { readonly attempt: number; readonly asOf: string }, signal: AbortSignal) =>
  getJson<StreamTranscript>(pathOf(streamId), { query: then, signal });

/** Whether two transcripts say the same, apart from names of speakers. */
export const saysTheSame = (one: StreamTranscript, other: StreamTranscript): boolean => {
  const said = ({ utterances }: StreamTranscript) => JSON.stringify(utterances.map(({ speaker, text }) => [speaker, text]));
  return said(one) === said(other);
};

/** Rejects with 412 if somebody else changed the transcript first. `replaced`: how often a text was replaced. */
export const changeTranscript = async (
  streamId: string,
  tag: string,
  edits: readonly Edit[],
): Promise<Read & { readonly replaced: number }> => {
  const response = await ask('PATCH', pathOf(streamId), { headers: { 'If-Match': tag }, body: { edits } });
  return { ...(await readOf(response)), replaced: Number(response.headers.get('Tributary-Replaced') ?? 0) };
};

export const undoChange = async (streamId: string, tag: string): Promise<Read> =>
  readOf(await ask('POST', `${pathOf(streamId)}/undo`, { headers: { 'If-Match': tag } }));

/** As the page shows utterances. */
export const shownUtterances = ({ speakers, utterances }: StreamTranscript): readonly Utterance[] => {
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  return utterances.map(({ id, speaker, ...rest }) => ({
    ...rest,
    id,
    speakerId: speaker,
    speakers: shownSpeakers(speaker === null ? [] : [speaker], rest.channel, names),
  }));
};
