import type { Clock } from '../clock.ts';

const waiting: (() => void)[] = [];

const letNextGo = (): void => {
  setImmediate(() => {
    waiting.shift()?.();
    if (waiting.length > 0) letNextGo();
  });
};

/**
 * Resolves in a turn of the event loop that no other caller gets. Await it before a step of some milliseconds, such as serialising a large item: other
 * requests then wait for one step, however many answers are being written.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) letNextGo();
  });

/** Bytes written in a step without a turn of its own. */
export const SMALL_STEP_BYTES = 16_384;

/** Longest work of `givingWay` in one turn, and of `resting` between two rests, beside its last step. */
const SLICE_MILLISECONDS = 3;

/** For a loop of steps that may be long. Await it before each step: other work goes first every 3 ms, and before a step of more than 16 KiB. */
export const givingWay = (): ((bytes?: number) => Promise<void> | undefined) => {
  let began = performance.now();
  const after = async (): Promise<void> => {
    await ownTurn();
    began = performance.now();
  };
  // Most steps need no promise: each follower of the log takes one for each event.
  return (bytes = 0) => (bytes <= SMALL_STEP_BYTES && performance.now() - began < SLICE_MILLISECONDS ? undefined : after());
};

/**
 * For long work that others should not notice. Await it between its steps: it rests as long as it has worked, waits included, so that it takes at most half of
 * the event loop. Rests no longer when `signal` aborts.
 */
export const resting = (clock: Pick<Clock, 'monotonic' | 'pause'>, signal: AbortSignal): (() => Promise<void>) => {
  let began = clock.monotonic();
  return async () => {
    const worked = clock.monotonic() - began;
    if (worked < SLICE_MILLISECONDS) return;
    await clock.pause(Math.ceil(worked), signal);
    await ownTurn();
    began = clock.monotonic();
  };
};
