import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// The image against a Docker engine: `npm run test:image`.
const { IMAGE_FORM: form = 'container' } = process.env;

export default defineConfig({
  test: {
    include: [`test/image/${form}.image.ts`],
    reporters,
    globalSetup: form === 'arm64' ? [] : ['test/image/engine.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
