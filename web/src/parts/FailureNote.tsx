import type { Stream } from '../api/types.ts';
import { Note } from './Notes.tsx';

/** Advice by words of the reason. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/cancel/i, 'Run it again to process it after all. If its upload had not finished, upload it again.'],
  [/too long|is longer than/i, 'Split it into shorter parts, or ask the operator for a higher limit.'],
  [/link/i, 'Check the link in a browser, then upload again.'],
  [/connection|broke off|no data/i, 'Upload it again; the connection was lost.'],
  [/decode|audio|video|format/i, 'Check that the file plays, or convert it to WAV or MP3, then upload again.'],
  [/engine|server|unavailable|not answer/i, 'Ask the operator whether the engine runs, then run the stream again.'],
];

const adviceOn = (reason: string): string =>
  ADVICE.find(([words]) => words.test(reason))?.[1] ?? 'The timeline of the stream shows which stage failed.';

/** Why a stream failed and what to do next. */
export const FailureNote = ({ stream: { stateDescription } }: { readonly stream: Stream }) => {
  const reason = stateDescription ?? 'The server gave no reason.';
  return (
    <Note tone="bad">
      <strong>Failed:</strong> {reason} {adviceOn(reason)}
    </Note>
  );
};
