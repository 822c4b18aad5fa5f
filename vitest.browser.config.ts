import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longestFirst.ts';
import { reporters } from './test/reporters.ts';

// Stories in real browsers, and how every page looks: `npm run test:browser`. They take as much processor time as half of all other tests.
export default defineConfig({
  test: {
    include: ['test/browser/*.test.ts'],
    reporters,
    globalSetup: ['test/build.ts'],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
