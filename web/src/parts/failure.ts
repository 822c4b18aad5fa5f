import type { Stream } from '../api/types.ts';

type Failed = Pick<Stream, 'state' | 'stateDescription'>;

/** Advice by words of the reason. `again` is "run" or, once the data are deleted, "upload". */
const ADVICE: readonly (readonly [RegExp, (again: 'Run' | 'Upload') => string])[] = [
  [
    /cancel/i,
    (again) =>
      again === 'Run'
        ? 'Run it again to process it after all. If its upload had not finished, upload it again.'
        : 'Upload it again to process it after all.',
  ],
  [/too long|is longer than/i, () => 'Split it into shorter parts, or ask the operator for a higher limit.'],
  [/link/i, () => 'Check the link in a browser, then upload again.'],
  [/connection|broke off|no data/i, () => 'Upload it again; the connection was lost.'],
  [/response format/i, (again) => `${again} it again, or ask for a simpler response format.`],
  [/decode|audio|video/i, () => 'Check that the file plays, or convert it to WAV or MP3, then upload again.'],
  [
    /engine|server|unavailable|not answer/i,
    (again) => `Ask the operator whether the engine runs, then ${again === 'Run' ? 'run the stream' : 'upload'} again.`,
  ],
];

/** What the owner of a failed stream does next. */
export const adviceOn = ({ state, stateDescription }: Failed): string =>
  ADVICE.find(([words]) => words.test(stateDescription ?? ''))?.[1](state === 'EXPIRED' ? 'Upload' : 'Run') ??
  'The timeline of the stream shows which stage failed.';

/** Whether the stream failed. A stream keeps its reason when its data are deleted. */
export const hasFailed = ({ state, stateDescription }: Failed): boolean =>
  state === 'FAILED' || (state === 'EXPIRED' && stateDescription !== null);

export const failureTitle = ({ state }: Failed): string => (state === 'EXPIRED' ? 'Failed, data deleted' : 'Failed');

/** The reason as a sentence. */
export const failureReason = ({ stateDescription }: Failed): string => {
  const reason = stateDescription?.trim() || 'The server gave no reason';
  return /[.!?…]["'”’)]?$/.test(reason) ? reason : `${reason}.`;
};
