import { afterAll, beforeAll, it } from 'vitest';
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

/** Both suites against a server that is started for them. */
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

against('fake', startEventStoreDb);

const real = await realEventStoreDb();
if (real) against(process.env.EVENTSTORE_URL ? 'EVENTSTORE_URL' : 'container', real);
else it.skip('skipped: needs a real EventStoreDB (EVENTSTORE_URL) or a Docker engine', () => undefined);
