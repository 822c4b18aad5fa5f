import { randomUUID } from 'node:crypto';
import { joinStream, openDeliveryStores } from './deliveryRig.ts';

/** A delivering node in its own process: `node backlogNode.js <directory> <receiver> [<deliveries to prepare>]`. Reports when all is scheduled. */
const [directory = '', receiver = '', prepare = '0'] = process.argv.slice(2);
const USERS = 20;
const ENDPOINTS = 5;

const stores = await openDeliveryStores(directory);
if (Number(prepare) === 0) stores.start();
else {
  const users = Array.from({ length: USERS }, () => randomUUID());
  for (const user of users) for (let n = 0; n < ENDPOINTS; n += 1) await stores.endpoint(user, `${receiver}${n}`, ['group.stream-joined']);
  for (let n = 0; n < Number(prepare) / ENDPOINTS; n += 200)
    await Promise.all(Array.from({ length: 200 }, (_, i) => joinStream(stores, users[(n + i) % USERS] ?? '')));
  // One place, occupied by a hanging receiver: everything is scheduled and nothing sent.
  stores.start(1);
  let scheduled = 0;
  for await (const item of stores.log.subscribe({
    after: null,
    filter: { types: ['DeliveriesScheduled'] },
    signal: new AbortController().signal,
  })) {
    if (item.kind === 'event') scheduled += ENDPOINTS;
    if (scheduled >= Number(prepare)) process.send?.('scheduled');
  }
}
