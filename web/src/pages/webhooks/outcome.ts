import type { Attempt } from './deliveries.ts';

/** The last failed attempt of a delivery is recorded as "exhausted". */
const wordOf = (outcome: Attempt['outcome']): string => (outcome === 'exhausted' ? 'gave up' : outcome);

/** The result of an attempt for a reader: "gave up, status 500: ...". */
export const outcomeInWords = ({ status, outcome, reason }: Pick<Attempt, 'status' | 'outcome' | 'reason'>): string =>
  [[wordOf(outcome), status !== null && `status ${status}`].filter(Boolean).join(', '), reason].filter(Boolean).join(': ');
