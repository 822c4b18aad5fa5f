/** Seconds that each fuzz test runs: short in the suite, FUZZ_SECONDS by hand (`npm run fuzz -- --minutes 10`). */
export const fuzzSeconds = (): number => Number(process.env.FUZZ_SECONDS ?? 40);

/** What makes a run repeatable: shown when it starts, and given again with `npm run fuzz -- --seed`. */
export const fuzzSeed = (): number => Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
