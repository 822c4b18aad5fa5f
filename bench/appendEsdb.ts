import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { v7 as uuid } from 'uuid';
import { systemClock } from '../src/clock.ts';
import type { NewStoredEvent } from '../src/stores/eventStore.ts';
import { openEventStoreDb } from '../src/stores/eventstoredb/eventStore.ts';
import { APPEND_CASES, appendRate, someEvents, throughPort } from './append.ts';
import { eventStoreServer } from './eventStoreServer.ts';
import { defineBench } from './frame.ts';

/** The same appends with only the client. */
const bareClient = (client: EventStoreDBClient) => async (given: NewStoredEvent[][]) => {
  const caller = async (events: NewStoredEvent[]) => {
    const eventStream = `stream-${uuid()}`;
    let expectedRevision: bigint | typeof NO_STREAM = NO_STREAM;
    for (const event of events) {
      const appended: { nextExpectedRevision: bigint } = await client.appendToStream(eventStream, jsonEvent(event), { expectedRevision });
      expectedRevision = appended.nextExpectedRevision;
    }
  };
  await Promise.all(given.map(caller));
};

/** Events of 250 bytes through the port on EventStoreDB, compared with the client's own appends to the same server. With the fake, no bar applies. */
export const appendEsdb = defineBench({
  name: 'append-esdb',
  bar: 0.9,
  run: async (compare) => {
    const { url, real, stop } = await eventStoreServer();
    const store = await openEventStoreDb({ url, clock: systemClock });
    const client = EventStoreDBClient.connectionString(url);
    for (const { callers, appends } of APPEND_CASES) {
      await compare(`${callers} caller${callers === 1 ? '' : 's'}${real ? '' : ', fake server'}`, {
        unit: 'events/s',
        ours: () => appendRate(someEvents(callers, appends), (given) => throughPort(store, given)),
        baseline: () => appendRate(someEvents(callers, appends), bareClient(client)),
        ...(real ? {} : { bar: null }),
      });
    }
    await store.close();
    await client.dispose();
    stop();
  },
});
