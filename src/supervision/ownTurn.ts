import type { Clock } from '../clock.ts';
import { SLICE_MILLISECONDS, Turns } from './turns.ts';

/** Lets timers and sockets run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ownTurns = new Turns();

/**
 * Resolves in a turn of the event loop of which other callers have used at most a millisecond. Await it before a step of some milliseconds, such as serialising a
 * large item: other requests then wait for one step, however many answers are being written.
 */
export const ownTurn = (): Promise<void> => ownTurns.later();

/** Bytes written in a step without a turn of its own. */
export const SMALL_STEP_BYTES = 16_384;

/** For a loop of steps that may be long. Await it before each step: other work goes first after each millisecond, and before a step of more than 16 KiB. */
export const givingWay = (): ((bytes?: number) => Promise<void> | undefined) => {
  let began = performance.now();
  const after = async (): Promise<void> => {
    await ownTurn();
    began = performance.now();
  };
  // Most steps need no promise: each follower of the log takes one for each event.
  return (bytes = 0) => (bytes <= SMALL_STEP_BYTES && performance.now() - began < SLICE_MILLISECONDS ? undefined : after());
};

/** Runs work that yields between its steps. Other work goes first after each millisecond. */
export const inSteps = async <Result>(work: Generator<unknown, Result, void>): Promise<Result> => {
  const giveWay = givingWay();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await giveWay();
  }
};

/** Shorter work needs no rest: a timer is not exact. The longest rest is for steps that have waited for a store. */
const [LEAST_WORK_MILLISECONDS, MOST_REST_MILLISECONDS] = [3, 1_000];

/**
 * For long work that others should not notice. Await it between steps: it rests for as long as the steps took, waits included, so that this work takes at most
 * half of the event loop. When `signal` aborts, a rest ends at once.
 */
export const resting = (clock: Pick<Clock, 'monotonic' | 'pause'>, signal: AbortSignal): (() => Promise<void>) => {
  let began = clock.monotonic();
  return async () => {
    const worked = clock.monotonic() - began;
    if (worked < LEAST_WORK_MILLISECONDS) return;
    await clock.pause(Math.min(Math.ceil(worked), MOST_REST_MILLISECONDS), signal);
    await ownTurn();
    began = clock.monotonic();
  };
};
