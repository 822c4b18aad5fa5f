/** Why a server cannot be used with the settings. */
export interface ServerRefusal {
  /** Names the setting. */
  readonly sentence: string;
  /** It concerns every member of a cluster, as a wrong setting does. `false`: only this one, as its certificate does. */
  readonly ofAll: boolean;
}

/** `away`: it could not be reached, or was silent. */
export type Outcome = ServerRefusal | 'fine' | 'away';

/** Why waiting for any of these servers is useless; `null` if it may help. While one is away, a refused certificate may be the only bad one. */
export const finalRefusal = (outcomes: readonly Outcome[]): string | null => {
  if (outcomes.includes('fine')) return null;
  const refusals = outcomes.filter((outcome) => typeof outcome === 'object');
  const final = outcomes.includes('away') ? refusals.find(({ ofAll }) => ofAll) : refusals[0];
  return final?.sentence ?? null;
};
