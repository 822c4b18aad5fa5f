import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UserCheckpoints } from '../../../src/delivery/facts/userCheckpoints.ts';
import type { HeldPartition } from '../../../src/delivery/partition.ts';
import type { DeliveryEvent, RecordedAttempt } from '../../../src/domain/delivery/events.ts';
import { type DeliveryCheckpoint, PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const AT = '2026-01-01T00:00:00.000Z';
const MANY = 30_000;
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

const restored = (checkpoint: DeliveryCheckpoint | null): PendingDeliveries => {
  const state = new PendingDeliveries(checkpoint);
  for (const part of checkpoint?.many ?? []) state.restore(part);
  return state;
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

test('keeps the endpoints of a user with very many in pieces of a bounded size', async () => {
  const { documents, checkpoints } = await open();
  const state = stateOf(MANY);
  await save(checkpoints, state, 1);
  const pieces = await documents.find('deliveryEndpoints', { limit: 1_000 });
  expect(pieces.length).toBe(64);
  for (const { body } of pieces) expect(JSON.stringify(body).length).toBeLessThan(100_000);
  const [stored] = await documents.find('deliveryUsers', { limit: 1 });
  expect(JSON.stringify(stored?.body).length).toBeLessThan(1_000);
  const fresh = new UserCheckpoints(documents, log);
  expect(contentOf(restored(await fresh.of('user')))).toEqual(contentOf(state));
});

test('has no state for an older version, which then reads all facts', async () => {
  const { documents, checkpoints } = await open();
  await save(checkpoints, stateOf(MANY), 1);
  expect((await documents.get('deliveryUsers', 'user'))?.body.state).toBeNull();
});

test('reads checkpoints that an older version has written for many endpoints', async () => {
  const { documents, checkpoints } = await open();
  const head = { revision: '1', foldFrom: '2', lastSourcePosition: '', lastRequestPosition: '' };
  const state = { ...head, sequences: [['e', 4]], failing: [['e', AT]] };
  await documents.writeBatch(
    'deliveryUsers',
    [{ id: 'user', position: positionOf(1), body: { partition: 1, open: false, at: AT, state } }],
    {
      ...{ name: 'delivery/1', position: null, epoch: 1 },
    },
  );
  expect(contentOf(restored(await checkpoints.of('user')))).toMatchObject({ sequences: { e: 4 }, failing: { e: AT } });
});

test('removes the pieces when the user has few endpoints again', async () => {
  const { documents, checkpoints } = await open();
  const state = stateOf(MANY);
  await save(checkpoints, state, 1);
  // Another node takes over.
  const next = new UserCheckpoints(documents, log);
  const later = restored(await next.of('user'));
  later.dropEndpoints([...later.sequences.keys()].slice(10));
  await save(next, later, 2);
  expect(await documents.find('deliveryEndpoints', { limit: 1_000 })).toEqual([]);
  expect(contentOf(restored(await next.of('user')))).toEqual(contentOf(later));
});

test('is not used if a piece is missing', async () => {
  const { documents, checkpoints } = await open();
  await save(checkpoints, stateOf(MANY), 1);
  const [piece] = await documents.find('deliveryEndpoints', { limit: 1 });
  const removed = { id: piece?.id ?? '', position: positionOf(2), body: null };
  await documents.writeBatch('deliveryEndpoints', [removed], { name: 'other', position: null, epoch: 1 });
  expect(await checkpoints.of('user')).toBeNull();
});

test('folds the later facts to the same state if a crash left newer pieces beside it', async () => {
  const { documents, checkpoints } = await open();
  const state = stateOf(MANY);
  const [failing = '', healthy = '', recovering = ''] = [...state.sequences.keys()].slice(0, 3);
  state.failing.delete(failing);
  state.failing.set(recovering, AT);
  await save(checkpoints, state, 1);
  const scheduled = (endpointId: string, n: number): DeliveryEvent => ({
    type: 'DeliveriesScheduled',
    data: {
      ...{
        sourceEventId: `s${n}`,
        sourceEventStream: 'stream-a',
        sourceRevision: '0',
        sourcePosition: positionOf(n),
        renderer: 2,
        deadline: AT,
      },
      deliveries: [
        {
          deliveryId: `d${n}`,
          endpointId,
          eventId: `s${n}`,
          type: 'stream.ready',
          sequence: n * 100_000,
          dynamicStreamId: null,
          url: null,
        },
      ],
    },
  });
  const attempted = (endpointId: string, n: number, outcome: RecordedAttempt['outcome']): DeliveryEvent => {
    const times = { at: `2026-01-0${n}T00:00:00.000Z`, status: 500, milliseconds: 1, outcome, reason: null, nextAt: AT, response: null };
    return {
      type: 'AttemptsRecorded',
      data: { attempts: [{ deliveryId: `d${n}`, endpointId, sourceEventId: `s${n}`, attempt: 1, ...times }] },
    };
  };
  const facts: DeliveryEvent[] = [failing, healthy, recovering].flatMap((endpointId, n) => [
    scheduled(endpointId, n + 2),
    attempted(endpointId, n + 2, 'failed'),
    ...(endpointId === failing ? [] : [attempted(endpointId, n + 2, 'delivered')]),
  ]);
  for (const [n, fact] of facts.entries()) state.evolve(fact, BigInt(n + 2), AT);
  const dying = new Proxy(documents, {
    get: (target, member: keyof Documents) => {
      const method = (target[member] as (...args: unknown[]) => Promise<unknown>).bind(target);
      return async (...args: unknown[]) => {
        if (member === 'writeBatch' && args[0] === 'deliveryUsers') throw new Error('killed');
        return method(...args);
      };
    },
  });
  await expect(save(new UserCheckpoints(dying, log), state, facts.length + 1)).rejects.toThrow('killed');
  const read = await new UserCheckpoints(documents, log).of('user');
  expect(read?.revision).toBe('1');
  const folded = restored(read);
  for (const [n, fact] of facts.entries()) folded.evolve(fact, BigInt(n + 2), AT);
  expect(contentOf(folded)).toEqual(contentOf(state));
  expect(folded.failing.get(failing)).toBe('2026-01-02T00:00:00.000Z');
});

test('removes the older pieces at the next save if that failed', async () => {
  const { documents } = await open();
  let removals = 0;
  const failing = new Proxy(documents, {
    get: (target, member: keyof Documents) => {
      const method = (target[member] as (...args: unknown[]) => Promise<unknown>).bind(target);
      return async (...args: unknown[]) => {
        const writes = member === 'writeBatch' ? (args[1] as { readonly body: unknown }[]) : [];
        if (writes.some(({ body }) => body === null) && removals++ === 0) throw new StoreUnavailable('away');
        return method(...args);
      };
    },
  });
  const checkpoints = new UserCheckpoints(failing, log);
  await save(checkpoints, stateOf(MANY), 1);
  await expect(save(checkpoints, stateOf(3), 2)).rejects.toThrow('away');
  await save(checkpoints, stateOf(3), 2);
  expect(await documents.find('deliveryEndpoints', { limit: 1 })).toEqual([]);
});
