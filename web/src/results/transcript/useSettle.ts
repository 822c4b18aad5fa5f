import { useEffect, useRef } from 'preact/hooks';

const MOST_SCROLLS = 20;

/** What a reader does to go elsewhere. */
const OWN_MOVES = ['wheel', 'touchstart', 'keydown'] as const;

/**
 * Scrolls until the element stays where it is: blocks around it take the place of boxes of an estimated height. The next call and the reader's
 * own moves end it.
 */
export const useSettle = (): ((find: () => Element | null) => void) => {
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return (find) => {
    running.current?.abort();
    const ending = new AbortController();
    running.current = ending;
    for (const move of OWN_MOVES) addEventListener(move, () => ending.abort(), { passive: true, signal: ending.signal });
    settle(find, ending);
  };
};

const settle = (find: () => Element | null, ending: AbortController, before: number | null = null, left = MOST_SCROLLS): void =>
  afterRender(() => {
    if (ending.signal.aborted) return;
    const element = find();
    const top = element?.getBoundingClientRect().top ?? 0;
    if (element === null || left === 0 || (before !== null && Math.abs(top - before) < 1)) return ending.abort();
    element.scrollIntoView({ block: 'center' });
    settle(find, ending, element.getBoundingClientRect().top, left - 1);
  });

/** Two frames: Preact renders before the first, the browser has laid out before the second. */
export const afterRender = (run: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(run));
};
