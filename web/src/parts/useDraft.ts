import { useEffect, useState } from 'preact/hooks';

/** Typed text: starts as `given`, and is reset whenever that changes, for instance because a link was followed. */
export const useDraft = (given: string): readonly [draft: string, type: (text: string) => void] => {
  const [draft, type] = useState(given);
  useEffect(() => type(given), [given]);
  return [draft, type];
};
