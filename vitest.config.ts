import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longestFirst.ts';
import { reporters } from './test/reporters.ts';

/** These replace modules, or count what the process does. All others share processes and loaded modules: a process of its own takes half a second of CPU. */
const ALONE = [
  'test/contract/embeddedEventStore.test.ts',
  'test/contract/embeddedTopics.test.ts',
  'test/unit/domain/linearFolds.test.ts',
  'test/unit/domain/propertiesOfCallers.test.ts',
  'test/unit/http/export/formats.test.ts',
  'test/unit/http/input/*.test.ts',
  'test/unit/http/openai/heldAudio.test.ts',
  'test/unit/policies/retention.test.ts',
  'test/unit/processors/llm.test.ts',
  'test/unit/projections/engine.test.ts',
  'test/unit/stores/largeTopic.test.ts',
];
/** Left out unless FUZZ_SECONDS is set, as `npm run fuzz` does. */
const SEARCH = process.env.FUZZ_SECONDS === undefined ? ['test/fuzz/slowRequests.test.ts'] : [];
// With configurations of their own: vitest.cluster.config.ts, vitest.browser.config.ts.
const ELSEWHERE = ['test/cluster/**', 'test/browser/**', ...SEARCH];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'shared process', include: ['test/**/*.test.ts'], exclude: [...ELSEWHERE, ...ALONE], isolate: false },
      },
      { extends: true, test: { name: 'own process', include: ALONE } },
    ],
    // Compiles src to dist: worker threads and the servers of the end-to-end tests run what a user runs.
    globalSetup: ['test/build.ts', 'test/filesInMemory.ts'],
    // Processes, not threads: a writer of a store starts itself in a thread.
    pool: 'forks',
    // Twice the cores of a small machine: much of the time is spent waiting.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // On a machine that may be busy. They cost nothing while tests pass.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    reporters,
  },
});
