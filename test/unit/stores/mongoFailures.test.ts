import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { inTime } from '../../../src/stores/mongodb/failures.ts';

test('reports a command that never ends as an unavailable store', async () => {
  await expect(inTime(new Promise(() => {}), 10)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await inTime(Promise.resolve(1))).toBe(1);
});
