import { expect, onTestFinished, test } from 'vitest';
import { verifyStore } from '../../../src/stores/integrity/verifyStore.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { joined, openSealedLog } from './sealedLog.ts';

const open = async () => {
  const opened = await openSealedLog(temporaryDirectory());
  onTestFinished(opened.close);
  return opened;
};

test('seals after a number of events, or after a time if fewer came', async () => {
  const { tell, seal, untilSealed, clock, store } = await open();
  for (let n = 0; n < 12; n++) await tell(`group-${n % 3}`, joined(`s${n}`));
  const stop = seal(5);
  await untilSealed([5, 5]);
  await clock.advance(59_000);
  await untilSealed([5, 5]);
  await clock.advance(2_000);
  await untilSealed([5, 5, 2]);
  const [first] = await store.readStream('seals');
  expect(first?.data).toMatchObject({ count: 5, heads: { 'group-0': '1', 'group-1': '1', 'group-2': '0' } });
  await clock.advance(600_000);
  // Anything started by then would be visible.
  await stop();
  await untilSealed([5, 5, 2]);
});

test('does not seal seals and events that may expire', async () => {
  const { tell, seal, untilSealed, clock } = await open();
  await tell('delivery-a', joined('x'));
  await tell('group-a', joined('x'));
  const stop = seal(1);
  await untilSealed([1]);
  await clock.advance(100_000);
  await tell('delivery-a', joined('y'));
  await clock.advance(100_000);
  // Anything started by then would be visible.
  await stop();
  await untilSealed([1]);
});

test('continues after the last seal when restarted, and the whole log verifies', async () => {
  const { tell, seal, untilSealed, store, keys } = await open();
  for (let n = 0; n < 4; n++) await tell('group-a', joined(`s${n}`));
  const stop = seal(3);
  await untilSealed([3]);
  await stop();
  for (let n = 0; n < 4; n++) await tell('group-b', joined(`s${n}`));
  const stopAgain = seal(3);
  await untilSealed([3, 3]);
  await stopAgain();
  const events = await store.readAll({ after: null, limit: 100 });
  const sixth = events.filter(({ eventStream }) => eventStream !== 'seals')[5];
  expect(await verifyStore({ store, keys })).toEqual({ ok: true, checked: 10, sealed: sixth?.position, firstBroken: null, notes: [] });
});

test('refuses to seal a log that lost sealed events', async () => {
  const { tell, seal, sealedCounts, keys, clock } = await open();
  await keys.setNote('newest seal', { revision: '7', seal: {} });
  await tell('group-a', joined('s'));
  const stop = seal(1);
  await clock.advance(60_000);
  expect(await sealedCounts()).toEqual([]);
  await stop();
});
