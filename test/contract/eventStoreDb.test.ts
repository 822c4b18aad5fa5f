import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { realEventStoreDb } from '../fakes/eventStoreDb/realEventStoreDb.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { eventStoreContract } from './eventStore.ts';
import { eventStoreDbFacts } from './eventStoreDbServer.ts';

interface Server {
  readonly url: string;
  pass(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

/** Both suites against a server started for them. */
const against = (name: string, start: () => Promise<Server>): void => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  }, 180_000);
  afterAll(() => server.stop());

  eventStoreContract(
    `EventStoreDB (${name})`,
    async () => {
      const store = await openEventStoreDb({ url: server.url, clock: systemClock });
      return { store, pass: (seconds) => server.pass(seconds), dispose: () => store.close() };
    },
    { keepsExpiredInLog: true },
  );
  eventStoreDbFacts(name, () => server.url);
};

it('an embedded start does not load the EventStoreDB client', () => {
  const script = `const { createRequire } = await import('node:module');
    await import('./dist/main.js');
    const loaded = Object.keys(createRequire(process.cwd() + '/').cache).filter((file) => /db-client|grpc-js/.test(file));
    console.log(loaded.length);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('0\n');
});

against('fake', startEventStoreDb);

const real = await realEventStoreDb();
if (real) against(process.env.EVENTSTORE_URL ? 'EVENTSTORE_URL' : 'container', real);
else it.skip('skipped: needs a real EventStoreDB (EVENTSTORE_URL) or a Docker engine', () => undefined);
