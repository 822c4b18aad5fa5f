/** An utterance that somebody is correcting. */
export interface Draft {
  readonly utterance: string;
  readonly text: string;
  /** Offsets of the word that was clicked. */
  readonly chosen?: readonly [start: number, end: number];
}

const keyOf = (streamId: string): string => `tributary.draft.${streamId}`;

/** Kept in the browser until it is saved or left, so that a reload or a lost connection loses nothing. */
export const keepDraft = (streamId: string, draft: Draft | null): void => {
  if (draft) localStorage.setItem(keyOf(streamId), JSON.stringify(draft));
  else localStorage.removeItem(keyOf(streamId));
};

export const draftOf = (streamId: string): Draft | null => {
  const text = localStorage.getItem(keyOf(streamId));
  // It was written above.
  return text === null ? null : (JSON.parse(text) as Draft);
};
