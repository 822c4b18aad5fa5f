import { useEffect, useState } from 'preact/hooks';

/** What is being typed: begins as `given`, and becomes that again whenever it changes, for instance because a link was followed. */
export const useDraft = (given: string): readonly [draft: string, type: (text: string) => void] => {
  const [draft, type] = useState(given);
  useEffect(() => type(given), [given]);
  return [draft, type];
};
