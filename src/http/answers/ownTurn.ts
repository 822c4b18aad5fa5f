const waiting: (() => void)[] = [];

const letNextGo = (): void => {
  setImmediate(() => {
    waiting.shift()?.();
    if (waiting.length > 0) letNextGo();
  });
};

/**
 * Resolves in a turn of the event loop that no other caller gets. Await it before a step that may take milliseconds, such as writing a large
 * item as JSON: however many answers are written at once, other requests wait for one step, not for all.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) letNextGo();
  });

/** What is written in a step that needs no turn of its own, bytes. */
export const SMALL_STEP_BYTES = 16_384;
