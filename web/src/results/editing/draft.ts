/** An utterance that somebody is correcting. */
export interface Draft {
  readonly utterance: string;
  readonly text: string;
  /** Offsets of the word that was clicked. */
  readonly chosen?: readonly [start: number, end: number];
}

// Utterances of another transcription have the same ids.
const keyOf = (streamId: string, attempt: number): string => `tributary.draft.${streamId}.${attempt}`;

/** Kept in the browser until it is saved or left, so that a reload or a lost connection loses nothing. */
export const keepDraft = (streamId: string, attempt: number, draft: Draft | null): void => {
  if (draft) localStorage.setItem(keyOf(streamId, attempt), JSON.stringify(draft));
  else localStorage.removeItem(keyOf(streamId, attempt));
};

export const draftOf = (streamId: string, attempt: number): Draft | null => {
  const text = localStorage.getItem(keyOf(streamId, attempt));
  // It was written above.
  return text === null ? null : (JSON.parse(text) as Draft);
};
