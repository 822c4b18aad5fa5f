import { ApiError } from '../../api/errors.ts';
import { ask, getJson } from '../../api/request.ts';
import type { PageOf } from '../../api/types.ts';
import type { Utterance, Word } from '../results.ts';
import { shownSpeaker, shownSpeakers } from '../speakers.ts';

/** The transcript of a stream with its corrections, as the API has it. */
export interface StreamTranscript {
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

/** One entry of the history. */
export interface EditRecord {
  readonly revision: number;
  readonly time: string;
  readonly actor: string;
  readonly actorName?: string | null;
  /** `null` once the data are deleted. */
  readonly edits: readonly Edit[] | null;
  readonly undone: boolean;
}

/** A transcript and the tag that a change of it must name. */
export interface Read {
  readonly transcript: StreamTranscript;
  readonly tag: string;
}

const pathOf = (streamId: string): string => `/stream-service/api/v1/streams/${encodeURIComponent(streamId)}/transcript`;

const readOf = async (response: Response): Promise<Read> => ({
  transcript: await response.json(),
  tag: response.headers.get('ETag') ?? '',
});

/** `null` if the stream has no transcript that can be corrected. Default attempt: the newest. */
export const readTranscript = async (streamId: string, signal?: AbortSignal, attempt?: number): Promise<Read | null> => {
  try {
    return await readOf(await ask('GET', pathOf(streamId), { signal, query: { attempt } }));
  } catch (error) {
    if (error instanceof ApiError && [404, 409, 410].includes(error.status)) return null;
    throw error;
  }
};

/** What a correction changed: lines of another text or speaker, or that one side does not have. */
export interface Change {
  readonly start: number | null;
  readonly before: Said | null;
  readonly after: Said | null;
}

interface Said {
  readonly speaker: string;
  readonly text: string;
}

/** The lines that the edit which made this revision changed, in the order of the recording. */
export const readChanges = async (streamId: string, revision: number, signal?: AbortSignal): Promise<readonly Change[]> => {
  const [before, after] = await Promise.all(
    [revision - 1, revision].map(async (one) => shownUtterances(await getJson(pathOf(streamId), { query: { revision: one }, signal }))),
  );
  const said = (all: readonly Utterance[] = []) => new Map(all.map((one) => [one.id, one]));
  const [former, present] = [said(before), said(after)];
  return [...new Map([...former, ...present]).keys()]
    .map((id) => ({ id, old: former.get(id), now: present.get(id) }))
    .filter(({ old, now }) => old?.text !== now?.text || old?.speakerId !== now?.speakerId)
    .map(({ old, now }) => ({ start: (now ?? old)?.start ?? null, before: saidIn(old), after: saidIn(now) }))
    .toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0));
};

const saidIn = (utterance: Utterance | undefined): Said | null =>
  utterance ? { speaker: utterance.speakers.join(', '), text: utterance.text.trim() } : null;

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

export const readHistory = (streamId: string, page: number, signal?: AbortSignal): Promise<PageOf<EditRecord>> =>
  getJson(`${pathOf(streamId)}/edits`, { query: { page, size: 20 }, signal });

/** Whether the transcript has corrections besides names of speakers, which the next transcription keeps. */
export const hasCorrections = async (streamId: string, signal: AbortSignal): Promise<boolean> => {
  for (let page = 0; ; page++) {
    const { content, totalPages } = await readHistory(streamId, page, signal);
    if (content.some(({ undone, edits }) => !undone && edits?.some(({ op }) => op !== 'name'))) return true;
    if (page + 1 >= totalPages) return false;
  }
};

/** Whether the transcript of an attempt says now what it said at a time, apart from names of speakers. */
export const saysTheSameAs = async (
  streamId: string,
  now: StreamTranscript,
  then: { readonly attempt: number; readonly asOf: string },
  signal: AbortSignal,
): Promise<boolean> => {
  const said = ({ utterances }: StreamTranscript) => JSON.stringify(utterances.map(({ speaker, text }) => [speaker, text]));
  return said(await getJson<StreamTranscript>(pathOf(streamId), { query: then, signal })) === said(now);
};

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

/** An edit in words. */
export const editInWords = (edit: Edit): string => {
  switch (edit.op) {
    case 'text':
      return edit.text.trim() === '' ? 'removed an utterance' : `wrote “${edit.text.trim()}”`;
    case 'speaker':
      return `gave an utterance to ${shownSpeaker(edit.speaker, null)}`;
    case 'name':
      return edit.name === null
        ? `took the name of ${shownSpeaker(edit.speaker, null)} away`
        : `named ${shownSpeaker(edit.speaker, null)} ${edit.name}`;
    case 'join':
      return `joined ${shownSpeaker(edit.speaker, null)} with ${shownSpeaker(edit.into, null)}`;
    case 'split':
      return 'split an utterance';
    case 'merge':
      return 'merged two utterances';
    case 'replace':
      return `replaced “${edit.find}” with “${edit.with}”`;
  }
};
