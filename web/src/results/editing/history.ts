import { getJson } from '../../api/request.ts';
import type { PageOf } from '../../api/types.ts';
import type { Utterance } from '../results.ts';
import { shownSpeaker } from '../speakers.ts';
import { type Edit, pathOf, shownUtterances, unlessNone } from './transcript.ts';

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

export const readHistory = (streamId: string, page: number, signal?: AbortSignal): Promise<PageOf<EditRecord>> =>
  getJson(`${pathOf(streamId)}/edits`, { query: { page, size: 20 }, signal });

const NO_HISTORY: Pick<PageOf<EditRecord>, 'content' | 'totalPages'> = { content: [], totalPages: 0 };

/** Whether the transcript has corrections besides names of speakers, which the next transcription keeps. */
export const hasCorrections = async (streamId: string, signal: AbortSignal): Promise<boolean> => {
  for (let page = 0; ; page++) {
    const { content, totalPages } = await unlessNone(readHistory(streamId, page, signal), NO_HISTORY);
    if (content.some(({ undone, edits }) => !undone && edits?.some(({ op }) => op !== 'name'))) return true;
    if (page + 1 >= totalPages) return false;
  }
};

/** A line that a correction changed: its text or speaker differs, or only one side has it. */
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
