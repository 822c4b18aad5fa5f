import { useState } from 'preact/hooks';

/** Rows that are chosen on the present page of a list. */
export interface Selection {
  readonly ids: readonly string[];
  readonly has: (id: string) => boolean;
  readonly choose: (ids: readonly string[], isChosen: boolean) => void;
  readonly clear: () => void;
}

/** `shown`: ids of the rows on the page. A row that leaves the page is no longer chosen, so that only visible rows are acted on. */
export const useSelection = (shown: readonly string[]): Selection => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ids = shown.filter((id) => chosen.has(id));
  return {
    ids,
    has: (id) => chosen.has(id),
    choose: (changed, isChosen) => setChosen(new Set([...ids.filter((id) => !changed.includes(id)), ...(isChosen ? changed : [])])),
    clear: () => setChosen(new Set()),
  };
};
