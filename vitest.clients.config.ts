import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

export default defineConfig({
  test: {
    include: ['test/{client,generated}/*.clients.ts'],
    reporters,
    globalSetup: ['test/build.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 5 * 60 * 1000,
    hookTimeout: 60_000,
  },
});
