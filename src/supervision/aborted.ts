export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * For an abort that only ends something, where its reason is not read. Made once: an abort without a reason creates an exception with its stack each
 * time.
 */
export const OVER = new Error('it is over');
