import { expect, it, onTestFinished } from 'vitest';
import { DAY_MILLISECONDS } from '../../../src/clock.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { deliveryRig, receiver } from './deliveryRig.ts';

it('takes deliveries out of the read model within an hour after their facts have left the log', async () => {
  const clock = new ManualClock();
  const [rig, to] = [await deliveryRig({ clock }), await receiver()];
  let ticking: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(ticking));
  onTestFinished(() => {
    ticking = setInterval(() => void clock.advance(100), 5);
  });
  await rig.endpoint(to.url('/'), ['stream.ready']);
  rig.node({ clock, exclusive: true });
  const deliver = async (): Promise<string> => {
    const before = to.received.length;
    await rig.stream();
    const [attempt] = await eventually(async () => {
      await clock.advance(100);
      const attempts = (await rig.attempts()).slice(-1);
      return to.received.length > before && attempts.length > 0 && attempts;
    });
    return attempt?.deliveryId ?? '';
  };
  const known = async (ids: readonly string[]) => [...(await rig.index.deliveries(ids)).keys()];
  const first = await deliver();
  await eventually(async () => expect(await known([first])).toEqual([first]));
  await clock.advance(29 * DAY_MILLISECONDS);
  const second = await deliver();
  await eventually(async () => expect(await known([first, second])).toHaveLength(2));
  for (let hour = 0; hour < 26; hour += 1) {
    await clock.advance(3_600_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(async () => expect(await known([first, second])).toEqual([second]));
});
