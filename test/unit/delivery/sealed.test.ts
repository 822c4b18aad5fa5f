import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { deliveryEventStream } from '../../../src/domain/delivery/events.ts';
import { openUserIndex } from '../../../src/projections/userIndex.ts';
import { findExpectedSeal, readExpectedSeal } from '../../../src/stores/integrity/expectedSeal.ts';
import { isSealed, SEALS } from '../../../src/stores/integrity/seals.ts';
import { exportSeals } from '../../../src/stores/integrity/verifyStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { Receiver } from '../../receiver.ts';
import { type DeliveryRig, deliveryRig } from './deliveryRig.ts';

const AUDITOR = '11111111-1111-4111-8111-111111111111';

const receiver = async (): Promise<Receiver> => {
  const started = await Receiver.start();
  onTestFinished(() => started.close());
  return started;
};

/** Appends a seal as the sealing policy does: it belongs to no user. */
const seal = async (rig: DeliveryRig): Promise<RecordedEvent | undefined> => {
  const [one, last] = [randomUUID(), randomUUID()];
  const data = {
    firstEventId: one,
    lastEventId: last,
    count: 2,
    digest: 'a'.repeat(64),
    heads: { [`stream-${one}`]: '1' },
    trail: 'AAAA',
    keyId: one,
    signature: 's',
  };
  return (await rig.append(SEALS, [{ type: 'LogSealed', data }], ''))[0];
};

const lines = async (rig: DeliveryRig): Promise<object[]> => {
  const all: object[] = [];
  for await (const line of exportSeals(rig)) all.push(line);
  return all.filter((line) => 'type' in line);
};

describe('audit.sealed', () => {
  it('is sent for each seal to every endpoint that subscribed to it by name, of any owner, and to no other', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/owner'), ['audit.sealed']);
    await rig.endpoint(to.url('/auditor'), ['stream.ready', 'audit.sealed'], AUDITOR);
    await rig.endpoint(to.url('/all'), ['*', 'stream.*'], AUDITOR);
    rig.node();
    await seal(rig);
    await rig.stream([], AUDITOR);
    await eventually(() => to.received.length === 5);
    expect(to.types('/owner')).toEqual(['audit.sealed']);
    expect(to.types('/auditor').sort()).toEqual(['audit.sealed', 'stream.ready']);
    expect(to.types('/all')).not.toContain('audit.sealed');
  });

  it('contains the line of "tributary audit seals", which "audit verify --expect" accepts', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['audit.sealed']);
    rig.node();
    await seal(rig);
    await eventually(() => to.received.length === 1);
    const { payload, payloadSchema } = to.received[0]?.event ?? { payload: {}, payloadSchema: '' };
    const [line] = await lines(rig);
    expect(payloadSchema).toBe('tributary.events.v1.LogSealedEvent');
    expect(JSON.parse(String(payload.line))).toEqual(line);
    expect(await findExpectedSeal(rig.store, readExpectedSeal(String(payload.line)))).toBeNull();
  });

  it('is scheduled once per seal and endpoint, even if the node restarts or loses its documents', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['audit.sealed']);
    const first = rig.node();
    await seal(rig);
    await eventually(() => to.received.length === 1);
    await first.stop();
    await seal(rig);
    const second = rig.node();
    await eventually(() => to.received.length === 2);
    await second.stop();
    await rig.documents.dropCollection('deliveryUsers');
    rig.node();
    await seal(rig);
    await rig.attempted(3);
    expect(to.received.map(({ headers }) => headers['webhook-sequence'])).toEqual(['1', '2', '3']);
  });

  it('is sent to the endpoints that were enabled when the seal was appended', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await seal(rig);
    const endpointId = await rig.endpoint(to.url('/'), ['audit.sealed']);
    const heard = await seal(rig);
    await rig.endpoint(to.url('/'), ['stream.ready'], OWNER, { endpointId });
    await seal(rig);
    rig.node();
    await rig.stream();
    await eventually(() => to.types('/').includes('stream.ready'));
    const scheduled = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesScheduled' ? [fact.data.sourceEventId] : []));
    expect(scheduled).toHaveLength(2);
    expect(scheduled[0]).toBe(heard?.id);
  });

  it('is sent while the read model of endpoints is stopped, and holds up no other webhook', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const stopped = {
      waitFor: async () => false,
      findIds: async () => expect.unreachable('it is not current'),
      getMany: async () => expect.unreachable('it is not current'),
    };
    rig.node({ index: openUserIndex(stopped, rig.log) });
    for (const path of ['/first', '/second']) {
      await rig.endpoint(to.url(path), ['audit.sealed', 'stream.ready'], path === '/first' ? OWNER : AUDITOR);
      await seal(rig);
      await rig.stream();
    }
    await eventually(() => expect(to.types('/first').sort()).toEqual(['audit.sealed', 'audit.sealed', 'stream.ready', 'stream.ready']));
    await eventually(() => expect(to.types('/second')).toEqual(['audit.sealed']));
  });

  it('can be recovered, but only for endpoints that subscribed to it by name', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await seal(rig);
    const named = await rig.endpoint(to.url('/named'), ['audit.sealed']);
    const other = await rig.endpoint(to.url('/other'), ['*']);
    rig.node();
    for (const endpointId of [named, other]) {
      const data = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
      await requestDelivery(rig, { type: 'RecoveryRequested', data }, rig.by(OWNER));
    }
    const answers = await eventually(async () => {
      const found = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? [fact.data.scheduled] : []));
      return found.length === 2 && found;
    });
    expect(answers).toEqual([1, 0]);
  });

  it('causes no further seal, since its facts are not sealed', () => {
    expect(isSealed(deliveryEventStream(AUDITOR))).toBe(false);
  });
});
