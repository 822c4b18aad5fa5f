import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { verifyEventStream, verifyStore } from '../../src/stores/integrity/verifyStore.ts';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { joined, openSealedLog } from '../unit/audit/sealedLog.ts';

/** A sealed log of three event streams on EventStoreDB, and what `audit verify` finds in it. */
describe('audit verify on EventStoreDB', () => {
  let server: FakeEventStoreDb;
  let client: EventStoreDBClient;
  let sealed: Awaited<ReturnType<typeof openSealedLog>>;

  beforeEach(async () => {
    server = await startEventStoreDb();
    onTestFinished(() => server.stop());
    client = EventStoreDBClient.connectionString(server.url);
    sealed = await openSealedLog(temporaryDirectory(), await openEventStoreDb({ url: server.url, clock: systemClock }));
    onTestFinished(() => sealed.close());
    const { tell, seal, untilSealed } = sealed;
    for (let n = 0; n < 6; n += 1) await tell(`group-${n % 2}`, joined(`s${n}`));
    await tell('delivery-someone', joined('d0'), joined('d1'));
    const stop = seal(3);
    await untilSealed([3, 3]);
    await stop();
  });

  const verified = () => verifyStore(sealed);
  const notes = async () => (await verified()).notes.filter((note) => !note.includes('EVENTSTORE_URL'));

  it('reports no error in an untouched log, and warns of a server without TLS', async () => {
    expect(await verified()).toMatchObject({ ok: true, checked: 10, firstBroken: null });
    expect((await verified()).notes).toEqual([expect.stringContaining('EVENTSTORE_URL has no TLS or no user')]);
  });

  it.each([
    ['a soft delete', () => client.deleteStream('group-1'), /deleted in the event store/],
    ['a tombstone', () => client.tombstoneStream('group-1'), /deleted in the event store/],
    ['$tb', () => client.setStreamMetadata('group-1', { truncateBefore: 1 }), /hide its first events/],
    ['$maxCount', () => client.setStreamMetadata('group-1', { maxCount: 1 }), /hide its first events/],
    ['$maxAge', () => client.setStreamMetadata('group-1', { maxAge: 60 }), /hide its old events/],
  ])('reports an event stream with events hidden by %s, although the whole log still has them', async (_, hide, reason) => {
    await hide();
    expect(await verified()).toMatchObject({
      ok: false,
      checked: 10,
      sealed: expect.any(String),
      firstBroken: { eventStream: 'group-1', reason: expect.stringMatching(reason) },
    });
  });

  it('names every event stream of which events are hidden', async () => {
    await client.deleteStream('group-0');
    await client.setStreamMetadata('group-1', { maxCount: 1 });
    expect(await verified()).toMatchObject({ ok: false, firstBroken: { eventStream: 'group-0' } });
    expect(await notes()).toContainEqual(expect.stringContaining('In group-1, metadata in the event store hide its first events'));
  });

  it.each([
    ['a soft delete', () => client.deleteStream('group-1')],
    ['a tombstone', () => client.tombstoneStream('group-1')],
    ['$tb', () => client.setStreamMetadata('group-1', { truncateBefore: 1 })],
  ])('reports %s in the event stream alone too', async (_, hide) => {
    await hide();
    expect(await verifyEventStream(sealed, 'group-1')).toMatchObject({ ok: false, firstBroken: { eventStream: 'group-1' } });
    expect(await verifyEventStream(sealed, 'group-0')).toMatchObject({ ok: true });
  });

  it('reports what the seals cover after a scavenge removed hidden events', async () => {
    await client.setStreamMetadata('group-0', { truncateBefore: 1 });
    await server.scavenge();
    expect(await verified()).toMatchObject({ ok: false, sealed: null, firstBroken: { eventStream: 'group-0' } });
    expect(await notes()).toEqual([
      expect.stringMatching(/^The log has 2 seals, which cover 6 events up to the event [0-9a-f-]{36}\./),
      expect.stringContaining('In group-0, metadata in the event store hide its first events'),
    ]);
  });

  it('reports no error if the metadata are removed before a scavenge', async () => {
    await client.setStreamMetadata('group-1', { truncateBefore: 1 });
    await client.setStreamMetadata('group-1', {});
    expect(await verified()).toMatchObject({ ok: true });
  });

  it('accepts $maxAge of deliveries, even after a scavenge, and reports any other hiding of them', async () => {
    await sealed.store.setRetention('delivery-someone', 60);
    expect(await verified()).toMatchObject({ ok: true, checked: 10 });
    await server.pass(120);
    await server.scavenge();
    expect(await verified()).toMatchObject({ ok: true, checked: 9 });
    await client.deleteStream('delivery-someone');
    expect(await verified()).toMatchObject({ ok: false, firstBroken: { eventStream: 'delivery-someone' } });
  });

  it("reports an event of another program in a platform's event stream, as JSON or binary", async () => {
    await client.appendToStream('group-0', jsonEvent({ type: 'Noted', data: { by: 'another program' } }));
    expect(await verified()).toMatchObject({
      ok: false,
      firstBroken: { eventStream: 'group-0', revision: 3n, reason: 'it carries no hash' },
    });
    await client.appendToStream('group-1', binaryEvent({ type: 'Noted', data: new Uint8Array([255]) }));
    expect(await verifyEventStream(sealed, 'group-1')).toMatchObject({ ok: false, firstBroken: { revision: 3n } });
  });

  it('mentions event streams of other programs, as JSON or binary, and seals and verifies the rest', async () => {
    await client.appendToStream('orders-1', [jsonEvent({ type: 'StreamCreated', data: {} }), jsonEvent({ type: 'Ordered', data: {} })]);
    await client.appendToStream('orders-2', binaryEvent({ type: 'Ordered', data: new Uint8Array([255]) }));
    const { tell, seal, untilSealed } = sealed;
    for (const n of [6, 7, 8]) await tell('group-0', joined(`s${n}`));
    const stop = seal(3);
    await untilSealed([3, 3, 3]);
    await stop();
    expect(await verified()).toMatchObject({ ok: true, checked: 14 });
    expect(await notes()).toEqual([
      '3 events were written by other programs, for example in the event stream orders-1, and cannot be verified.',
    ]);
    expect(await verifyEventStream(sealed, 'orders-1')).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('not an event stream of this platform')],
    });
  });
});
