import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UserCheckpoints } from '../../../src/delivery/facts/userCheckpoints.ts';
import type { HeldPartition } from '../../../src/delivery/partition.ts';
import { PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const AT = '2026-01-01T00:00:00.000Z';
const PARTITION = { number: 1, lease: { epoch: 1 }, saved: null } as HeldPartition;
const log = {} as EventLog;

const positionOf = (n: number): Position => String(n).padStart(20, '0') as Position;

const open = async () => {
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(temporaryDirectory(), 'views.db'),
    durability: 'NORMAL',
  });
  onTestFinished(() => documents.close());
  const checkpoints = new UserCheckpoints(documents, log);
  await checkpoints.ensure();
  return { documents, checkpoints };
};

const save = (checkpoints: UserCheckpoints, state: PendingDeliveries, revision: number) => {
  const checkpoint = state.checkpoint(BigInt(revision));
  const user = { subject: 'user', partition: 1, open: false, carriedAt: AT, position: positionOf(revision), state: checkpoint };
  return checkpoints.save(PARTITION, positionOf(revision), [user]);
};

const contentOf = ({ sequences, failing, lastSourcePosition }: PendingDeliveries) => ({
  sequences: Object.fromEntries(sequences),
  failing: Object.fromEntries(failing),
  lastSourcePosition,
});

const stateOf = (endpoints: number): PendingDeliveries => {
  const state = new PendingDeliveries(null);
  for (let n = 0; n < endpoints; n += 1) {
    const id = randomUUID();
    state.sequences.set(id, n + 1);
    if (n % 3 === 0) state.failing.set(id, AT);
  }
  return state;
};

test('keeps the numbers and failures of many endpoints', async () => {
  const { documents, checkpoints } = await open();
  const state = stateOf(30_000);
  await save(checkpoints, state, 1);
  const fresh = new UserCheckpoints(documents, log);
  expect(contentOf(new PendingDeliveries(await fresh.of('user')))).toEqual(contentOf(state));
});

test('has no state for a user with more endpoints than a document takes: then all facts are read', async () => {
  const { checkpoints } = await open();
  await save(checkpoints, stateOf(50_001), 1);
  expect(await checkpoints.of('user')).toBeNull();
});

test('reads checkpoints that an older version has written', async () => {
  const { documents, checkpoints } = await open();
  const head = { revision: '1', foldFrom: '2', lastSourcePosition: '', lastRequestPosition: '' };
  for (const [n, state] of [
    { ...head, sequences: [['e', 4]], failing: [['e', AT]] },
    { ...head, sequences: { e: 4 }, failing: { e: AT } },
  ].entries()) {
    const write = { id: `user${n}`, position: positionOf(1), body: { partition: 1, open: false, at: AT, state } };
    await documents.writeBatch('deliveryUsers', [write], { name: 'delivery/1', position: null, epoch: 1 });
    expect(contentOf(new PendingDeliveries(await checkpoints.of(`user${n}`)))).toMatchObject({ sequences: { e: 4 }, failing: { e: AT } });
  }
});
