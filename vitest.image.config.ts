import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// The image against a Docker engine: `npm run test:image`.
const isCluster = process.env.IMAGE_FORM === 'cluster';

export default defineConfig({
  test: {
    include: [isCluster ? 'test/image/cluster.image.ts' : 'test/image/container.image.ts'],
    reporters,
    globalSetup: ['test/image/engine.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
