import type { StreamComponents } from '../../api/types.ts';

/** Why a stream that has ended shows no results, and what to do. */
export const whyNoResults = ({ state, processors }: Pick<StreamComponents, 'state' | 'processors'>): string => {
  if (state !== 'FAILED')
    return 'No speech was found, or no result was switched on. Choose a summary, sentiment or a question when you upload.';
  const finished = processors.filter((one) => one.state === 'COMPLETED').map(({ processorId }) => processorId);
  const what =
    finished.length === 0
      ? 'The stream failed before a stage finished.'
      : `The stream failed. Finished before: ${finished.join(', ')}, without a result to show.`;
  return `${what} The reason is at the top of this page.`;
};
