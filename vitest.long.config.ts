import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

export default defineConfig({
  test: {
    include: ['test/crash/*.crash.ts', 'test/soak/*.soak.ts', 'test/attack/*.attack.ts', 'test/fixtures/make.ts'],
    reporters,
    globalSetup: ['test/build.ts'],
    pool: 'forks',
    testTimeout: 6 * 60 * 60 * 1000,
  },
});
