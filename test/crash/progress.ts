import { setTimeout as wait } from 'node:timers/promises';

const PAUSE = 500;
const SAID_EVERY = 15_000;

/**
 * Repeats `look` until nothing is left. A large number may take long as long as it decreases: rejects if it has not decreased for `patience`
 * milliseconds.
 */
export const untilNoneIsLeft = async (what: string, patience: number, look: () => Promise<readonly string[]>): Promise<void> => {
  const began = performance.now();
  let fewest = Number.POSITIVE_INFINITY;
  let said = began;
  let first: number | null = null;
  for (let since = began; ; await wait(PAUSE)) {
    const left = await look();
    first ??= left.length;
    const now = performance.now();
    const seconds = ((now - began) / 1_000).toFixed(1);
    if (left.length === 0) return console.log(`${what}: ${first} at first, none after ${seconds} s`);
    if (left.length < fewest) [fewest, since] = [left.length, now];
    else if (now - since > patience)
      throw new Error(`${what}: ${left.length} after ${seconds} s, no fewer for ${patience} ms, among them ${left.slice(0, 5).join(', ')}`);
    if (now - said < SAID_EVERY) continue;
    said = now;
    console.log(`${what}: ${left.length} after ${seconds} s`);
  }
};
