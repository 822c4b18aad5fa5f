import type { Stream } from '../api/types.ts';
import { adviceOn, failureReason, failureTitle } from './failure.ts';
import { Note } from './Notes.tsx';

/** Why a stream failed and what to do next. */
export const FailureNote = ({ stream }: { readonly stream: Stream }) => (
  <Note tone="bad">
    <strong>{failureTitle(stream)}:</strong> {failureReason(stream)} {adviceOn(stream)}
  </Note>
);
