/** An `AbortSignal`, or an emitter of `abort`, which is lighter and which undici takes too. */
type Signal = AbortSignal | { readonly aborted: boolean; once(event: 'abort', listener: () => void): unknown };

export const aborted = (signal: Signal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else if ('once' in signal) signal.once('abort', resolve);
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * For an abort that only ends something, where its reason is not read. Made once: an abort without a reason creates an exception with its stack each
 * time.
 */
export const OVER = new Error('it is over');
