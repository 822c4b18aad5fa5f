import type { Clock } from '../clock.ts';

/** Lets timers and sockets run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const waiting: (() => void)[] = [];
/** Whether a run of the queue is scheduled. */
let isGoing = false;

const letNextGo = (): void => {
  setImmediate(() => goOn(performance.now()));
};

/** Runs the first waiting step, and those behind it in the same turn until the slice that `began` then is over. */
const goOn = (began: number): void => {
  waiting.shift()?.();
  // Microtasks run first, and with them the step, up to where it waits for something else.
  queueMicrotask(() => process.nextTick(() => goOnOrRest(began)));
};

const goOnOrRest = (began: number): void => {
  isGoing = waiting.length > 0;
  if (!isGoing) return;
  if (performance.now() - began < SLICE_MILLISECONDS) goOn(began);
  else letNextGo();
};

/**
 * Resolves in a turn of the event loop of which other callers have used at most 3 ms. Await it before a step of some milliseconds, such as serialising a
 * large item: other requests then wait for one step, however many answers are being written.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (isGoing) return;
    isGoing = true;
    letNextGo();
  });

/** Bytes written in a step without a turn of its own. */
export const SMALL_STEP_BYTES = 16_384;

/** Longest work of all steps of `ownTurn` together in one turn, of `givingWay` in one turn, and of `resting` between two rests: each beside its last step. */
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

/** Runs work that yields between its steps. Other work goes first every 3 ms. */
export const inSteps = async <Result>(work: Generator<unknown, Result, void>): Promise<Result> => {
  const giveWay = givingWay();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await giveWay();
  }
};

/** Longest rest of `resting`: the steps may have waited for a store. */
const MOST_REST_MILLISECONDS = 1_000;

/**
 * For long work that others should not notice. Await it between steps: it rests for as long as the steps took, waits included, so that this work takes at most
 * half of the event loop. When `signal` aborts, a rest ends at once.
 */
export const resting = (clock: Pick<Clock, 'monotonic' | 'pause'>, signal: AbortSignal): (() => Promise<void>) => {
  let began = clock.monotonic();
  return async () => {
    const worked = clock.monotonic() - began;
    if (worked < SLICE_MILLISECONDS) return;
    await clock.pause(Math.min(Math.ceil(worked), MOST_REST_MILLISECONDS), signal);
    await ownTurn();
    began = clock.monotonic();
  };
};
