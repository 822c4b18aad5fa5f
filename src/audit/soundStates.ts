import { conflict, notFound } from '../domain/problem.ts';
import { type VerifyDeps, verifyEventStream } from '../stores/integrity/verifyStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { difference, type StateAt, statesAt } from './eventStreamState.ts';
import type { Moment } from './pointInTime.ts';

type StateDeps = VerifyDeps & { readonly log: EventLog };

/**
 * The state of an event stream at the first moment, as auditors see it, with the JSON Patch to the second if there is one. `asOf` is the first as text.
 * Rejects with a `Problem`: 404, or 409 as `soundStatesAt`.
 */
export const shownStateAt = async (
  deps: StateDeps,
  eventStream: string,
  moments: readonly Moment[],
  asOf: string | undefined,
): Promise<object> => {
  const [found, other] = await soundStatesAt(deps, eventStream, moments);
  if (!found || other === null) throw notFound('event stream at that point');
  const { revision, state } = found;
  const shown = { eventStream, revision: String(revision), asOf: asOf ?? null, state };
  return other ? { ...shown, difference: difference(state, other.state) } : shown;
};

/** Like `statesAt`, but rejects with a `Problem` (409) that names the place if the event stream was changed and cannot be folded. */
export const soundStatesAt = async (deps: StateDeps, eventStream: string, moments: readonly Moment[]): Promise<(StateAt | null)[]> => {
  try {
    return await statesAt(deps.log, eventStream, moments);
  } catch (error) {
    const verdict = await verifyEventStream(deps, eventStream).catch(() => null);
    if (!verdict?.firstBroken) throw error;
    const { revision, reason } = verdict.firstBroken;
    throw conflict(`The event stream cannot be folded. It is broken at revision ${revision}: ${reason}.`);
  }
};
