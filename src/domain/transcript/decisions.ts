import type { IfMatch } from '../ifMatch.ts';
import { conflict, countReached, Problem } from '../problem.ts';
import type { Edit } from './edits.ts';
import type { TranscriptEvent } from './events.ts';
import { newestRevision, revisionsOf, standingAt, type TranscriptState } from './state.ts';

/** Most corrections of an attempt's transcript. Undos do not count. */
const MOST_REVISIONS = 10_000;

/** The entity tag of a revision, without quotes. */
export const transcriptTag = (attempt: number, revision: number): string => `transcript-${attempt}-${revision}`;

/** Throws 428 without `If-Match`, and 412 if it does not name the newest revision of the attempt. */
export const checkRevision = (attempt: number, newest: number, ifMatch: IfMatch): void => {
  if (ifMatch === null)
    throw conflict('Send If-Match with the ETag of the transcript that you have changed.', {
      statusCode: 428,
      title: 'Precondition required',
    });
  const tag = transcriptTag(attempt, newest);
  if (ifMatch !== '*' && !ifMatch.includes(tag)) throw outdated(tag);
};

const outdated = (tag: string): Problem =>
  conflict(`Another edit came first: the transcript is at "${tag}" now. Read it again, and repeat your edits.`, {
    statusCode: 412,
    title: 'Precondition failed',
  });

/** The revision that a change was made for. */
export interface ChangedRevision {
  readonly attempt: number;
  readonly revision: number;
}

const requireNewest = (state: TranscriptState, { attempt, revision }: ChangedRevision): void => {
  const newest = newestRevision(state, attempt);
  if (newest !== revision) throw outdated(transcriptTag(attempt, newest));
};

/** Appends the next revision. The caller has applied the edits to `revision`. Throws 412 if it is not the newest any more, and 429. */
export const editTranscript = (
  state: TranscriptState,
  { attempt, revision, edits }: ChangedRevision & { readonly edits: readonly Edit[] },
): readonly TranscriptEvent[] => {
  requireNewest(state, { attempt, revision });
  if (revisionsOf(state, attempt).filter(({ kind }) => kind === 'edited').length >= MOST_REVISIONS)
    throw countReached(`A transcript can be edited ${MOST_REVISIONS} times. Run the stream again to begin with a new one.`);
  return [{ type: 'TranscriptEdited', data: { attempt, revision: revision + 1, edits: [...edits] } }];
};

/** Undoes the newest edit that still counts. Throws 409 if no edit is left, and 412. */
export const undoEdit = (state: TranscriptState, { attempt, revision }: ChangedRevision): readonly TranscriptEvent[] => {
  requireNewest(state, { attempt, revision });
  if (standingAt(revisionsOf(state, attempt), revision).length === 0) throw conflict('No edit is left to undo.');
  return [{ type: 'TranscriptEditUndone', data: { attempt, revision: revision + 1 } }];
};

/** 404 for a revision that the transcript does not have. */
export const noRevision = (attempt: number, revision: number, newest: number): Problem =>
  new Problem('GENERAL_NOT_FOUND_ERROR', `The transcript of attempt ${attempt} has no revision ${revision}. The newest is ${newest}.`);
