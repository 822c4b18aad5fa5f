import { defineConfig } from 'vitest/config';
import { fakeMongoIsHere } from './test/fakes/mongodb/start.ts';

// The end-to-end tests once more, each server as three processes on a fake EventStoreDB and FerretDB: `npm run test:cluster`.
const isHere = await fakeMongoIsHere();

export default defineConfig({
  test: {
    include: isHere ? ['test/cluster/**/*.test.ts', 'test/e2e/**/*.test.ts'] : [],
    // They do not start a server: nothing differs.
    exclude: ['authentication', 'errors', 'webhookEndpoints', 'interface', 'openapi', 'asyncapi'].map((name) => `test/e2e/${name}.test.ts`),
    passWithNoTests: !isHere,
    env: { TRIBUTARY_FORM: 'cluster' },
    globalSetup: ['test/build.ts', 'test/clusterStores.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
});
