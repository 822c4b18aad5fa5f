import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { sign } from '../src/delivery/send/signature.ts';
import {
  type DeliveryStores,
  freshDirectory,
  joinStream,
  openDeliveryStores,
  type Receivers,
  startReceivers,
  until,
} from './deliveryRig.ts';
import { defineBench } from './frame.ts';

const WEBHOOKS = 20_000;
const RECEIVERS = 4;
const USERS = 10;
const CONCURRENCY = 256;

/** The same webhooks from a loop that only signs and posts over persistent connections. */
const bare = async (receivers: Receivers): Promise<number> => {
  const agent = new Agent({ connections: CONCURRENCY / RECEIVERS, pipelining: 1 });
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const body = JSON.stringify({ id: randomUUID(), type: 'group.stream-joined', payload: 'x'.repeat(950) });
  let next = 0;
  const loop = async () => {
    for (let n = next++; n < WEBHOOKS; n = next++) {
      const headers = { 'content-type': 'application/json', ...sign(randomUUID(), Date.now(), body, [secret]) };
      const { body: answer } = await request(receivers.urls[n % RECEIVERS] ?? '', { method: 'POST', headers, body, dispatcher: agent });
      await answer.dump();
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  const rate = (WEBHOOKS * 1_000) / (performance.now() - start);
  await agent.close();
  return rate;
};

/** 5,000 events of 10 users, for 4 endpoints each: from the log, over facts in the log, to the receivers. */
const delivered = async (stores: DeliveryStores, receivers: Receivers): Promise<number> => {
  const users = Array.from({ length: USERS }, () => randomUUID());
  for (const user of users) for (const url of receivers.urls) await stores.endpoint(user, url, ['group.stream-joined']);
  for (let n = 0; n < WEBHOOKS / RECEIVERS; n += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => joinStream(stores, users[(n + i) % USERS] ?? '')));
  const [start, before] = [performance.now(), receivers.received()];
  const stop = stores.start();
  await until(() => receivers.received() - before >= WEBHOOKS);
  const rate = (WEBHOOKS * 1_000) / (performance.now() - start);
  await stop();
  return rate;
};

/** 20,000 signed webhooks of about 1 KiB to 4 local receivers, with their facts in the log, compared with a bare pooled loop of signed posts. */
export const deliver = defineBench({
  name: 'deliver',
  bar: 0.25,
  run: async (compare) => {
    const directory = freshDirectory();
    const stores = await openDeliveryStores(directory.path);
    const receivers = await startReceivers(RECEIVERS);
    await compare('20,000 to 4 receivers', {
      unit: 'webhooks/s',
      rounds: 5,
      ours: () => delivered(stores, receivers),
      baseline: () => bare(receivers),
    });
    await receivers.close();
    await stores.close();
    directory.remove();
  },
});
