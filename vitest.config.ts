import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longestFirst.ts';
import { reporters } from './test/reporters.ts';

/** Unit tests: their files share processes and loaded modules, which halves their CPU time. */
const SHARED = ['test/unit/*/**/*.test.ts'];
/** These replace modules, or count what the process does. */
const ALONE = [
  'test/unit/commands/singleNodeSlots.test.ts',
  'test/unit/domain/linearFolds.test.ts',
  'test/unit/domain/propertiesOfCallers.test.ts',
  'test/unit/http/export/formats.test.ts',
  'test/unit/http/input/*.test.ts',
  'test/unit/http/openai/heldAudio.test.ts',
  'test/unit/policies/retention.test.ts',
  'test/unit/processors/llm.test.ts',
  'test/unit/projections/engine.test.ts',
  'test/unit/stores/eventStreamPages.test.ts',
  'test/unit/stores/largeTopic.test.ts',
];
// The cluster tests run with the cluster form: vitest.cluster.config.ts.
const CLUSTER = ['test/cluster/**'];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'own process', include: ['test/**/*.test.ts'], exclude: [...CLUSTER, ...SHARED] } },
      { extends: true, test: { name: 'own process, unit', include: ALONE } },
    ],
    // Compiles src to dist: worker threads and the servers of the end-to-end tests run what a user runs.
    globalSetup: ['test/build.ts'],
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
