import type { Attempt } from './deliveries.ts';

/** The last failed attempt of a delivery is recorded as "exhausted". */
const wordOf = (outcome: Attempt['outcome']): string => (outcome === 'exhausted' ? 'gave up' : outcome);

/** The result of an attempt for a reader: "gave up, status 500: ...". */
export const outcomeInWords = ({ status, outcome, reason }: Pick<Attempt, 'status' | 'outcome' | 'reason'>): string => {
  const answer = status === null ? null : `status ${status}`;
  // The reason of most statuses is the status.
  return [[wordOf(outcome), answer].filter(Boolean).join(', '), reason === answer ? null : reason].filter(Boolean).join(': ');
};
