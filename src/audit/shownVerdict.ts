import type { Verdict } from '../stores/integrity/verification.ts';

/** A verdict as JSON. */
export const shownVerdict = ({ firstBroken, notes, ...verdict }: Verdict) => ({
  ...verdict,
  notes: [...notes],
  firstBroken: firstBroken && { ...firstBroken, revision: String(firstBroken.revision) },
});
