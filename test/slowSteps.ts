import { onTestFinished, vi } from 'vitest';

/** Until the test ends, each look at the clock finds 4 ms more: every step takes longer than a slice of the event loop, as on a slow machine. */
export const slowSteps = (): void => {
  const now = performance.now.bind(performance);
  let more = 0;
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => {
    more += 4;
    return now() + more;
  });
  onTestFinished(() => slow.mockRestore());
};
