import { defineConfig } from 'vitest/config';
import { EMBEDDED_FILES } from './test/e2e/clusterForm.ts';
import { fakeMongoIsHere } from './test/fakes/mongodb/start.ts';
import { reporters } from './test/reporters.ts';

// The end-to-end tests once more, each server as three processes on a fake EventStoreDB and FerretDB: `npm run test:cluster`.
const isHere = Boolean(process.env.MONGODB_URL) || (await fakeMongoIsHere());

export default defineConfig({
  test: {
    include: isHere ? ['test/cluster/**/*.test.ts', 'test/e2e/**/*.test.ts'] : [],
    exclude: Object.keys(EMBEDDED_FILES).map((name) => `test/e2e/${name}.test.ts`),
    passWithNoTests: !isHere,
    env: { TRIBUTARY_FORM: 'cluster' },
    reporters,
    globalSetup: ['test/build.ts', 'test/clusterStores.ts'],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
