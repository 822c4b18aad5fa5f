import { expect, it, onTestFinished } from 'vitest';
import { DAY_MILLISECONDS } from '../../../src/clock.ts';
import { advancing, eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { deliveryRig, receiver, toggle } from './deliveryRig.ts';

/** A user with an endpoint, and a clock that stands still unless the test advances it. */
const started = async () => {
  const clock = new ManualClock();
  const [rig, to] = [await deliveryRig({ clock }), await receiver()];
  /** A node needs time to stop. */
  const ticking = async (work: () => Promise<void>): Promise<void> => {
    const ticks = setInterval(() => void clock.advance(100), 5);
    await work().finally(() => clearInterval(ticks));
  };
  onTestFinished(() => ticking(rig.close));
  await rig.endpoint(to.url('/'), ['stream.ready']);
  /** A node runs until one more event is delivered. Returns the id of the delivery. */
  const deliver = async (): Promise<string> => {
    const before = to.received.length;
    const recorded = (await rig.attempts()).length;
    const node = rig.node({ clock });
    await rig.stream();
    await advancing(async () => {
      await clock.advance(100);
      return to.received.length > before && (await rig.attempts()).length > recorded;
    });
    await ticking(node.stop);
    return (await rig.attempts()).at(-1)?.deliveryId ?? '';
  };
  return { clock, rig, to, deliver, ticking };
};

it('takes deliveries out of the read model within an hour after their facts have left the log', async () => {
  const { clock, rig, deliver } = await started();
  const known = async (ids: readonly string[]) => [...(await rig.index.deliveries(ids)).keys()];
  const first = await deliver();
  await clock.advance(29 * DAY_MILLISECONDS);
  const second = await deliver();
  await eventually(async () => expect(await known([first, second])).toHaveLength(2));
  await clock.advance(DAY_MILLISECONDS);
  rig.node({ clock });
  await advancing(async () => {
    await clock.advance(3_600_000);
    return (await rig.facts()).some(({ type }) => type === 'DeliveriesForgotten');
  }, 20_000);
  await eventually(async () => expect(await known([first, second])).toEqual([second]));
});

it('continues the numbers of an endpoint when all facts have left the log while no node ran', async () => {
  const { clock, to, rig, deliver } = await started();
  await deliver();
  await clock.advance(40 * DAY_MILLISECONDS);
  expect(await rig.facts()).toEqual([]);
  await deliver();
  expect(to.received.map(({ headers }) => headers['webhook-sequence'])).toEqual(['1', '2']);
});

it('continues the numbers of an endpoint at rest while others of its owner are busy, even if all documents are lost', async () => {
  const { clock, to, rig, deliver, ticking } = await started();
  const resting = await rig.endpoint(to.url('/resting'), ['stream.ready']);
  await deliver();
  await toggle(rig, resting, false);
  await clock.advance(15 * DAY_MILLISECONDS);
  await deliver();
  await clock.advance(6 * DAY_MILLISECONDS);
  const node = rig.node({ clock });
  await advancing(async () => {
    await clock.advance(3_600_000);
    return (await rig.facts()).some(({ type }) => type === 'DeliveryCarried');
  }, 20_000);
  await ticking(node.stop);
  await clock.advance(15 * DAY_MILLISECONDS);
  await rig.documents.dropCollection('deliveryUsers');
  await toggle(rig, resting, true);
  await deliver();
  expect(to.at('/resting').map(({ headers }) => headers['webhook-sequence'])).toEqual(['1', '2']);
});
