import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { checkStores } from '../../../src/stores/storeChecks.ts';
import { ManualClock } from '../../manualClock.ts';

const fine = {
  store: { head: async () => null },
  documents: { listCollections: async () => ['a', 'b'] },
  topics: { size: async () => null },
  keys: { acceptedKeys: async () => [] },
};

test('reports every store that answers as up', async () => {
  const checks = await checkStores({ ...fine, clock: systemClock });
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['eventLog', true],
    ['documents', true],
    ['vault', true],
    ['topics', true],
  ]);
});

test("reports a failing store as down, without its driver's message", async () => {
  const store = { head: () => Promise.reject(new StoreUnavailable('connect 10.0.0.7:2113')) };
  const [eventLog, ...others] = await checkStores({ ...fine, store, clock: systemClock });
  expect(eventLog).toMatchObject({ name: 'eventLog', ok: false });
  expect(eventLog?.detail).not.toContain('10.0.0.7');
  expect(others.every(({ ok }) => ok)).toBe(true);
});

test('reports a silent store as down after two seconds', async () => {
  const clock = new ManualClock();
  const checking = checkStores({ ...fine, topics: { size: () => new Promise(() => {}) }, clock });
  await clock.advance(1_999);
  await clock.advance(1);
  expect((await checking).find(({ ok }) => !ok)).toEqual({ name: 'topics', ok: false, detail: 'It has not answered for 2 seconds.' });
});
