import { expect, test } from 'vitest';
import { CheckpointSaver } from '../../../src/delivery/checkpointSaver.ts';
import type { UserCheckpoint } from '../../../src/delivery/facts/userCheckpoints.ts';
import type { HeldPartition } from '../../../src/delivery/partition.ts';
import type { UserDeliveries } from '../../../src/delivery/userDeliveries.ts';
import { PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import type { Position } from '../../../src/stores/eventStore.ts';

test('saves only what has changed', async () => {
  const state = new PendingDeliveries(null).checkpoint(1n);
  const writes: Position[][] = [];
  let last = '1' as Position;
  const user = {
    heldBackTo: null,
    checkpoint: async (saved?: Position) => (saved === last ? null : { state, position: last, carriedAt: '', open: false }),
  };
  const partition = { number: 1, signal: new AbortController().signal, position: null, saved: null } as unknown as HeldPartition;
  const saver = new CheckpointSaver({
    checkpoints: {
      save: async (_: HeldPartition, __: Position | null, users: readonly UserCheckpoint[]) =>
        void writes.push(users.map(({ position }) => position)),
    } as never,
    partitions: () => [partition],
    usersOf: () => [['user', user as unknown as UserDeliveries]],
    onSaved: () => undefined,
  });
  await saver.save();
  await saver.save();
  last = '2' as Position;
  await saver.save();
  partition.position = '3' as Position;
  await saver.save();
  expect(writes).toEqual([['1'], ['2'], []]);
});
