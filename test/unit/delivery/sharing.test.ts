import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Lease, Leases } from '../../../src/stores/leases/leases.ts';
import { eventually } from '../../eventually.ts';
import { MemoryLeases } from '../../fakes/memoryLeases.ts';
import { fastClock } from '../../fastClock.ts';
import { Receiver } from '../../receiver.ts';
import { deliveryRig } from './deliveryRig.ts';

/** Nodes hand over partitions within seconds. */
const SPEED = 5;

/** Leases of one node over those that all share, and which it holds. */
const leasesOf = (shared: MemoryLeases): { held: Set<string>; leases: Leases } => {
  const held = new Set<string>();
  const noted = <T extends Lease | null>(lease: T): T => {
    if (lease) {
      held.add(lease.name);
      lease.signal.addEventListener('abort', () => held.delete(lease.name));
    }
    return lease;
  };
  const leases: Leases = {
    tryAcquire: async (name) => noted(await shared.tryAcquire(name)),
    acquire: async (name, signal) => noted(await shared.acquire(name, signal)),
    held: () => [...held],
    isFree: (name) => shared.isFree(name),
    list: () => shared.list(),
    close: async () => undefined,
  };
  return { held, leases };
};

test('shares partitions with nodes that join and takes over from nodes that leave, sending every webhook once', async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  const rig = await deliveryRig();
  const shared = new MemoryLeases();
  const deliverers = [{ id: 'first', roles: ['delivery'] }];
  const common = { nodes: { alive: async () => deliverers }, clock: fastClock(SPEED), timeoutMilliseconds: 5_000 * SPEED };
  const [first, second] = [leasesOf(shared), leasesOf(shared)];
  const users = Array.from({ length: 24 }, () => randomUUID());
  for (const user of users) await rig.endpoint(receiver.url('/'), ['stream.ready'], user);
  const round = async (count: number) => {
    for (const user of users) await rig.stream([], user);
    await eventually(() => expect(receiver.received.length).toBe(count * users.length));
  };
  rig.node({ ...common, leases: first.leases });
  await eventually(() => expect(first.held.size).toBe(16));
  await round(1);
  deliverers.push({ id: 'second', roles: ['http', 'delivery'] });
  const other = rig.node({ ...common, leases: second.leases });
  const moving = (async () => {
    for (let n = 2; second.held.size < 8; n += 1) await round(n);
  })();
  await eventually(() => expect([first.held.size, second.held.size]).toEqual([8, 8]));
  await moving;
  const before = receiver.received.length / users.length;
  deliverers.pop();
  await other.stop();
  await round(before + 1);
  await eventually(() => expect(first.held.size).toBe(16));
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(receiver.received.length);
}, 60_000);
