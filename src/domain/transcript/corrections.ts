import type { Transcription } from '../stream/messages.ts';
import { applyEdits } from './applyEdits.ts';
import { machineContent, type TranscriptContent } from './content.ts';
import { inheritedNames, type RevisionEdits, revisionsOf, stepsFrom, type TranscriptState } from './state.ts';

/** The names and edits that make the newest revision of an attempt's transcription. Plain JSON. */
export interface Corrections {
  /** Pairs of an id of a speaker and the name from an earlier attempt. */
  readonly names: readonly (readonly [id: string, name: string])[];
  readonly edits: readonly RevisionEdits[];
}

/** `null` if there are none. */
export const correctionsOf = (state: TranscriptState, attempt: number): Corrections | null => {
  const revisions = revisionsOf(state, attempt);
  const edits = stepsFrom(revisions, 0, revisions.length) ?? [];
  const names = [...inheritedNames(state, attempt)];
  return edits.length + names.length > 0 ? { names, edits } : null;
};

/** The newest revision of the transcript that the engine gave in these messages. */
export const corrected = (messages: readonly Transcription[], { names, edits }: Corrections): TranscriptContent =>
  edits.reduce(
    (content, { revision, edits: some }) => applyEdits(content, some, revision).content,
    machineContent(messages, new Map(names)),
  );
