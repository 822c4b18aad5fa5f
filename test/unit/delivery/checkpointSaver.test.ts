import { expect, test } from 'vitest';
import { CheckpointSaver } from '../../../src/delivery/checkpointSaver.ts';
import type { UserCheckpoint } from '../../../src/delivery/facts/userCheckpoints.ts';
import type { HeldPartition } from '../../../src/delivery/partition.ts';
import type { UserDeliveries } from '../../../src/delivery/userDeliveries.ts';
import { PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { ManualClock } from '../../manualClock.ts';

test('saves every ten seconds while there are facts, and at the end', async () => {
  const clock = new ManualClock();
  const stopping = new AbortController();
  const state = new PendingDeliveries(null).checkpoint(1n);
  const saved: Position[] = [];
  let facts = 0;
  const user = { heldBackTo: null, checkpoint: async () => ({ state, position: String(facts) as Position, carriedAt: '', open: false }) };
  const partition = { number: 1, signal: new AbortController().signal, position: null, saved: null } as unknown as HeldPartition;
  const saver = new CheckpointSaver({
    checkpoints: {
      save: async (_: HeldPartition, __: Position | null, users: readonly UserCheckpoint[]) => {
        saved.push(...users.map(({ position }) => position));
      },
    } as never,
    clock,
    logger: silentLogger,
    stopping: stopping.signal,
    partitions: () => [partition],
    usersOf: () => [['user', user as unknown as UserDeliveries]],
    onSaved: () => undefined,
  });
  for (let second = 0; second < 60; second += 1) {
    facts += 1;
    saver.progressed();
    await clock.advance(1_000);
  }
  expect(saved.length).toBe(6);
  facts += 1;
  stopping.abort();
  await saver.finish();
  expect(saved.at(-1)).toBe(String(facts));
});
