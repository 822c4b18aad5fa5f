import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/screenshots.ts'],
    globalSetup: ['test/build.ts'],
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
