import { conflict } from '../domain/problem.ts';
import { type VerifyDeps, verifyEventStream } from '../stores/integrity/verifyStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type StateAt, statesAt } from './eventStreamState.ts';
import type { Moment } from './pointInTime.ts';

/** Like `statesAt`, but rejects with a `Problem` (409) that names the place if the event stream was changed and cannot be folded. */
export const soundStatesAt = async (
  deps: VerifyDeps & { readonly log: EventLog },
  eventStream: string,
  moments: readonly Moment[],
): Promise<(StateAt | null)[]> => {
  try {
    return await statesAt(deps.log, eventStream, moments);
  } catch (error) {
    const verdict = await verifyEventStream(deps, eventStream).catch(() => null);
    if (!verdict?.firstBroken) throw error;
    const { revision, reason } = verdict.firstBroken;
    throw conflict(`The event stream cannot be folded. It is broken at revision ${revision}: ${reason}.`);
  }
};
