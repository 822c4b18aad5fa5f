import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longestFirst.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These run with the cluster form: vitest.cluster.config.ts.
    exclude: ['test/cluster/**'],
    // Compiles src to dist: worker threads and the servers of the end-to-end tests run what a user runs.
    globalSetup: ['test/build.ts'],
    pool: 'forks',
    // One more than the cores of a small machine: much of the time is spent waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A page of a browser is drawn in steps, on a machine that may be busy.
    expect: { poll: { timeout: 10_000 } },
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.ci/results.json' }]] : ['default'],
  },
});
