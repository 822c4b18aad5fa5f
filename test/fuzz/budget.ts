import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer } from '../e2e/client.ts';

/** Seconds that each fuzz test runs: short in the suite, FUZZ_SECONDS by hand (`npm run fuzz -- --minutes 10`). */
export const fuzzSeconds = (inTheSuite: number): number => Number(process.env.FUZZ_SECONDS ?? inTheSuite);

/**
 * Makes a run repeatable: printed at its start, and passed with `npm run fuzz -- --seed`. In CI it is always the same, so that a build fails
 * because of a change and not by chance.
 */
export const fuzzSeed = (): number =>
  Number(process.env.FUZZ_SEED ?? (process.env.CI === 'true' ? 1 : Math.floor(Math.random() * 2 ** 31)));

/** Of the targets that fast-check drives; with the one that Schemathesis drives about 20 seconds in all. */
const SECONDS = 1;

/** Time limit of a test with `tries`, milliseconds: shrinking a failure takes as long again. */
export const FUZZ_TIMEOUT = { timeout: 3 * fuzzSeconds(SECONDS) * 1_000 + 120_000 };

/** Tries after which the next seed is used: a failure is reported with its seed. */
const ROUND = 25;

/** For finding slow requests: printed, never checked, because machines differ. */
const slowestOf = (slowest: { milliseconds: number; given: unknown } | null): string =>
  slowest === null ? 'no try' : `the slowest took ${slowest.milliseconds.toFixed(0)} ms: ${fc.stringify(slowest.given).slice(0, SHOWN)}`;

const SHOWN = 500;

/** As many tries as the time allows; at least one. */
export const tries = async <T>(given: fc.Arbitrary<T>, holds: (given: T) => Promise<void>): Promise<void> => {
  const [seed, seconds] = [fuzzSeed(), fuzzSeconds(SECONDS)];
  const deadline = performance.now() + seconds * 1_000;
  const isOver = (): boolean => done > 0 && performance.now() > deadline;
  let done = 0;
  let slowest: { milliseconds: number; given: T } | null = null;
  const property = fc.asyncProperty(given, async (one) => {
    if (isOver()) return;
    const began = performance.now();
    await holds(one);
    done += 1;
    const milliseconds = performance.now() - began;
    if (slowest === null || milliseconds > slowest.milliseconds) slowest = { milliseconds, given: one };
  });
  for (let round = 0; !isOver(); round += 1) await fc.assert(property, { seed: seed + round, numRuns: ROUND });
  console.log(`${done} tries in ${seconds} s, seed ${seed}; ${slowestOf(slowest)}`);
};

/** A 2xx, or a documented refusal that is not a server error. */
export const expectNoFault = ({ status, body, text }: Answer): void => {
  if (status < 300) return;
  expect([status, text], 'no fault of the server').toSatisfy(() => status < 500 && status >= 400);
  expectErrorShape(status, body);
};

export const expectErrorShape = (status: number, body: unknown): void => {
  expect(body).toMatchObject({
    statusCode: status,
    title: expect.any(String),
    message: expect.any(String),
    internalErrorName: expect.stringMatching(/^[A-Z_]+$/),
    nestedErrors: expect.any(Array),
  });
};
