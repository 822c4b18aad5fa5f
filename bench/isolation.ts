import { randomUUID } from 'node:crypto';
import { freshDirectory, joinStream, openDeliveryStores, startReceivers, until } from './deliveryRig.ts';
import { defineBench, percentile } from './frame.ts';
import { besideHangingProcessors } from './hangingProcessors.ts';

const ENDPOINTS = 1_000;
const OWNERS = 50;
const HANGING = 300;
const EVENTS = 600;
/** Milliseconds between two events: well below the machine's limit. */
const PACE = 25;

/** The p99 in milliseconds, from event to receiver, of the healthy of 1,000 endpoints of 50 owners. */
const healthyP99 = async (hanging: number): Promise<number> => {
  const directory = freshDirectory();
  const stores = await openDeliveryStores(directory.path);
  const receivers = await startReceivers(ENDPOINTS, { hanging: ENDPOINTS - hanging, latencies: true });
  const owners = Array.from({ length: OWNERS }, () => randomUUID());
  // Receiver n belongs to owner n mod 50: each owner has 14 that answer and, where there are any, 6 that hang.
  const perOwner = (n: number): string[] => receivers.urls.filter((_, i) => i % OWNERS === n && (hanging > 0 || i < ENDPOINTS - HANGING));
  for (const [n, owner] of owners.entries()) for (const url of perOwner(n)) await stores.endpoint(owner, url, ['group.stream-joined']);
  const stop = stores.start();
  for (let n = 0; n < EVENTS; n += 1) {
    await joinStream(stores, owners[n % OWNERS] ?? '');
    await new Promise((resolve) => setTimeout(resolve, PACE));
  }
  await until(() => receivers.received() >= (EVENTS * (ENDPOINTS - HANGING)) / OWNERS);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const p99 = percentile(receivers.latencies(), 0.99);
  await receivers.close();
  await stop();
  await stores.close();
  directory.remove();
  return p99;
};

/** p99 of the healthy endpoints without the hanging ones, divided by the p99 with them: at least 1 / 1.5. */
export const isolation = defineBench({
  name: 'isolation',
  bar: 0.66,
  run: async (compare) => {
    const rounds: { with: number; without: number }[] = [];
    let last = 0;
    await compare('1,000 endpoints, 300 hang', {
      unit: '1/s (p99)',
      rounds: 5,
      ours: async () => {
        last = await healthyP99(HANGING);
        return 1_000 / last;
      },
      baseline: async () => {
        const without = await healthyP99(0);
        rounds.push({ with: last, without });
        return 1_000 / without;
      },
      notes: () => ({ p99: rounds.map((round) => `${round.with}/${round.without} ms`).join(' ') }),
    });
    await besideHangingProcessors(compare);
  },
});
