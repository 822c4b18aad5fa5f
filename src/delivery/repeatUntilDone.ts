import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Progressed, retrying } from '../supervision/retrying.ts';

/** Repeats `work` until it returns `done` or the signal aborts, with pauses after failures. `phrase`: what to log then. */
export const repeatUntilDone = async (
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  { signal, phrase }: { readonly signal: AbortSignal; readonly phrase: string },
  work: () => Promise<'done' | 'again'>,
): Promise<void> => {
  const onFailure = (error: unknown) => logger.warn({ err: error }, phrase);
  const repeat = async (progressed: Progressed): Promise<void> => {
    while (!signal.aborted && (await work()) === 'again') progressed();
  };
  await retrying(repeat, { clock, signal, onFailure }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
};
