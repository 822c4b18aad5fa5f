import type { Names, TranscriptContent } from './content.ts';
import type { Edit } from './edits.ts';
import type { TranscriptEvent } from './events.ts';

/** A revision of an attempt's transcript. Revision n is the nth; 0 is the machine's. */
export type Revision = {
  readonly time: string;
  /** Revision of its event in the event stream. */
  readonly event: number;
} & (
  | {
      readonly kind: 'edited';
      /** `null` once the data of the stream are deleted. */
      readonly edits: readonly Edit[] | null;
    }
  | { readonly kind: 'undone' }
);

/** The revisions of a stream's transcript, by the attempt that made the transcription. */
export type TranscriptState = ReadonlyMap<number, readonly Revision[]>;

const initialState = (): TranscriptState => new Map();

/** Folds an event onto the revisions of a transcript. Pure. */
export const evolveTranscript = (state: TranscriptState, { type, data }: TranscriptEvent, time: string): TranscriptState => {
  const event = [...state.values()].reduce((sum, { length }) => sum + length, 0);
  const revision: Revision =
    type === 'TranscriptEdited' ? { kind: 'edited', time, event, edits: data.edits } : { kind: 'undone', time, event };
  return new Map(state).set(data.attempt, [...revisionsOf(state, data.attempt), revision]);
};

export const transcriptDecider = { initialState, evolve: evolveTranscript };

export const revisionsOf = (state: TranscriptState, attempt: number): readonly Revision[] => state.get(attempt) ?? [];

/** The number of the newest revision. */
export const newestRevision = (state: TranscriptState, attempt: number): number => revisionsOf(state, attempt).length;

/** Numbers of the revisions whose edits apply at a revision: those that are not undone. */
export const standingAt = (revisions: readonly Revision[], revision: number): number[] => {
  const standing: number[] = [];
  for (const [n, { kind }] of revisions.slice(0, revision).entries()) {
    if (kind === 'edited') standing.push(n + 1);
    else standing.pop();
  }
  return standing;
};

/** The edits of a revision; empty for an undo, and once they cannot be read any more. */
const editsIn = (revisions: readonly Revision[], revision: number): readonly Edit[] => {
  const found = revisions[revision - 1];
  return found?.kind === 'edited' ? (found.edits ?? []) : [];
};

/** The content of a revision of an attempt. */
export interface KnownContent {
  readonly revision: number;
  readonly content: TranscriptContent;
}

/** The edits of a revision. */
export interface RevisionEdits {
  readonly revision: number;
  readonly edits: readonly Edit[];
}

/** What leads from the content of a known revision to another; `null` if an edit of the known one is undone there. Revision 0 leads to every other. */
export const stepsFrom = (revisions: readonly Revision[], known: number, revision: number): RevisionEdits[] | null => {
  const [before, now] = [standingAt(revisions, known), standingAt(revisions, revision)];
  if (before.some((n, index) => now[index] !== n)) return null;
  return now.slice(before.length).map((n) => ({ revision: n, edits: editsIn(revisions, n) }));
};

/** The names that earlier attempts gave to speakers. */
export const inheritedNames = (state: TranscriptState, attempt: number): Names => {
  const names = new Map<string, string>();
  for (const [earlier, revisions] of [...state].sort(([a], [b]) => a - b)) {
    if (earlier >= attempt) break;
    for (const n of standingAt(revisions, revisions.length)) for (const edit of editsIn(revisions, n)) rename(names, edit);
  }
  return names;
};

const rename = (names: Map<string, string>, edit: Edit): void => {
  if (edit.op === 'join' || (edit.op === 'name' && edit.name === null)) names.delete(edit.speaker);
  else if (edit.op === 'name' && edit.name !== null) names.set(edit.speaker, edit.name);
};
