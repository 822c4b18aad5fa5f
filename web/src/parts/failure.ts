import type { Stream } from '../api/types.ts';

type Failed = Pick<Stream, 'state' | 'stateDescription'>;

/** Whether the stream failed. A stream keeps its reason when its data are deleted. */
export const hasFailed = ({ state, stateDescription }: Failed): boolean =>
  state === 'FAILED' || (state === 'EXPIRED' && stateDescription !== null);

export const failureTitle = ({ state }: Failed): string => (state === 'EXPIRED' ? 'Failed, data deleted' : 'Failed');

/** The reason as a sentence. */
export const failureReason = ({ stateDescription }: Failed): string => {
  const reason = stateDescription?.trim() || 'The server gave no reason';
  return /[.!?…]["'”’)]?$/.test(reason) ? reason : `${reason}.`;
};
