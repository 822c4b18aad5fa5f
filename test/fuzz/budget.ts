import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer } from '../e2e/client.ts';

/** Seconds that each fuzz test runs: short in the suite, FUZZ_SECONDS by hand (`npm run fuzz -- --minutes 10`). */
export const fuzzSeconds = (inTheSuite: number): number => Number(process.env.FUZZ_SECONDS ?? inTheSuite);

/**
 * What makes a run repeatable: shown when it starts, and given again with `npm run fuzz -- --seed`. In CI it is always the same: a build fails by what was
 * changed, and not by what chance finds.
 */
export const fuzzSeed = (): number =>
  Number(process.env.FUZZ_SEED ?? (process.env.CI === 'true' ? 1 : Math.floor(Math.random() * 2 ** 31)));

/** Of the targets that fast-check drives; with the one that Schemathesis drives about a minute in all. */
const SECONDS = 5;

/** What a test of `tries` must be given, milliseconds: a failure is made smaller for as long again. */
export const FUZZ_TIMEOUT = { timeout: 3 * fuzzSeconds(SECONDS) * 1_000 + 120_000 };

/** Tries after which the next seed is taken: a failure is told with the seed that it came of. */
const ROUND = 25;

/** For whoever looks for slow requests: printed, never judged, because machines differ. */
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

/** A 2xx, or a refusal in the documented shape that is not the server's fault. */
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
