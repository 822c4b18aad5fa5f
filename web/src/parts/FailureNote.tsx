import type { Stream } from '../api/types.ts';
import { failureReason, failureTitle } from './failure.ts';
import { Note } from './Notes.tsx';

interface FailureProps {
  readonly stream: Pick<Stream, 'state' | 'stateDescription'>;
  /** As the server gives it; `null` before it is known. */
  readonly advice: string | null;
}

/** Why a stream failed and what to do next. */
export const FailureNote = ({ stream, advice }: FailureProps) => (
  <Note tone="bad">
    <strong>{failureTitle(stream)}:</strong> {failureReason(stream)} {advice}
  </Note>
);

/** The same in a list, under the badge with the state. */
export const FailureInList = ({ stream, advice }: FailureProps) => (
  <span class="cell-note quiet small">
    {stream.state === 'EXPIRED' && `${failureTitle(stream)}: `}
    {failureReason(stream)} {advice}
  </span>
);
