import { useEffect, useRef } from 'preact/hooks';

const MOST_SCROLLS = 20;

/** What a reader does to go elsewhere. */
const OWN_MOVES = ['wheel', 'touchstart', 'keydown'] as const;

/**
 * Scrolls until the element stays where it is: blocks around it take the place of boxes of an estimated height. The next call and the reader's
 * own moves end it.
 */
export const useSettle = (): ((find: () => Element | null, block: ScrollLogicalPosition) => void) => {
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return (find, block) => {
    running.current?.abort();
    const ending = new AbortController();
    running.current = ending;
    for (const move of OWN_MOVES) addEventListener(move, () => ending.abort(), { passive: true, signal: ending.signal });
    settle({ find, block, ending });
  };
};

interface Settling {
  readonly find: () => Element | null;
  readonly block: ScrollLogicalPosition;
  readonly ending: AbortController;
}

const settle = ({ find, block, ending }: Settling, before: number | null = null, left = MOST_SCROLLS): void =>
  afterRender(() => {
    if (ending.signal.aborted) return;
    const element = find();
    const top = element?.getBoundingClientRect().top ?? 0;
    if (element === null || left === 0 || (before !== null && Math.abs(top - before) < 1)) return ending.abort();
    element.scrollIntoView({ block });
    settle({ find, block, ending }, element.getBoundingClientRect().top, left - 1);
  });

/** Two frames: Preact renders before the first, the browser has laid out before the second. */
export const afterRender = (run: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(run));
};
