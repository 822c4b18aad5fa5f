import { setImmediate } from 'node:timers/promises';
import { applyEdits } from '../../domain/transcript/applyEdits.ts';
import type { TranscriptContent } from '../../domain/transcript/content.ts';
import type { RevisionEdits } from '../../domain/transcript/state.ts';

/** The content after some revisions. Other work runs in between: there may be thousands. */
export const applyRevisions = async (content: TranscriptContent, revisions: readonly RevisionEdits[]): Promise<TranscriptContent> => {
  let current = content;
  for (const { revision, edits } of revisions) {
    current = applyEdits(current, edits, revision).content;
    await setImmediate();
  }
  return current;
};
