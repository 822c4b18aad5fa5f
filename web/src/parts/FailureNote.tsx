import type { Stream } from '../api/types.ts';
import { Note } from './Notes.tsx';

/** What a caller can do about a failure, by words of its reason. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/cancel/i, 'Upload it again to process it after all.'],
  [/link/i, 'Check the link in a browser, then upload again.'],
  [/connection|broke off|no data/i, 'Upload it again; the connection was lost.'],
  [/decode|audio|video|format/i, 'Check that the file plays, or convert it to WAV or MP3, then upload again.'],
  [/engine|server|unavailable|not answer/i, 'Ask the operator whether the engine runs, then upload again.'],
];

const adviceOn = (reason: string): string =>
  ADVICE.find(([words]) => words.test(reason))?.[1] ?? 'The components below name the stage that failed.';

/** Why a stream failed and what to do next. */
export const FailureNote = ({ stream: { stateDescription } }: { readonly stream: Stream }) => {
  const reason = stateDescription ?? 'The server gave no reason.';
  return (
    <Note tone="bad">
      <strong>Failed:</strong> {reason} {adviceOn(reason)}
    </Note>
  );
};
