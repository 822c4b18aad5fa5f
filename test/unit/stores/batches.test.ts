import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { batches } from '../../../src/stores/log/batches.ts';
import { openedLog } from '../commands/openedLog.ts';

const context = { subject: 'a', actor: 'a', correlationId: 'c', causationId: 'c' };

/** Number of events in each batch of a log with `count` events. */
const sizes = async (count: number): Promise<number[]> => {
  const { log } = openedLog({ Told: { version: 1, schema: { type: 'object' } } });
  const event = { type: 'Told', data: {} };
  for (let n = 0; n < count; n += 1) await log.append(randomUUID(), { revision: 'no stream', hash: null }, [event], context);
  const found: number[] = [];
  const over = new AbortController();
  for await (const { events } of batches(log, null, ['Told'], over.signal)) {
    found.push(events.length);
    if (found.reduce((sum, size) => sum + size, 0) >= count) break;
  }
  return found;
};

test('a batch has up to 100 of them', async () => {
  expect(Math.max(...(await sizes(250)))).toBe(100);
});
