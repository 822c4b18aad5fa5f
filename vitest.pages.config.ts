import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// How every page and dialog looks at several widths, in light and dark: `npm run test:pages`.
export default defineConfig({
  test: {
    include: ['test/browser/*.pages.ts'],
    reporters,
    globalSetup: ['test/build.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
