import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { batches } from '../../../src/stores/log/batches.ts';
import { openedLog } from '../commands/openedLog.ts';

const context = { subject: 'a', actor: 'a', correlationId: 'c', causationId: 'c' };

/** Number of events in each batch of a log with `count` events. */
const sizes = async (count: number, characters: number): Promise<number[]> => {
  const { log } = openedLog({ Told: { version: 1, schema: { type: 'object' } } });
  const event = { type: 'Told', data: { text: 'x'.repeat(characters) } };
  for (let n = 0; n < count; n += 1) await log.append(randomUUID(), { revision: 'no stream', hash: null }, [event], context);
  const found: number[] = [];
  const over = new AbortController();
  for await (const { events } of batches(log, null, ['Told'], over.signal)) {
    found.push(events.length);
    if (found.reduce((sum, size) => sum + size, 0) >= count) break;
  }
  return found;
};

test('a batch of small events has up to 500 of them', async () => {
  expect(Math.max(...(await sizes(600, 10)))).toBe(500);
});

test('a batch of large events ends after 4 MiB', async () => {
  expect(Math.max(...(await sizes(60, 524_288)))).toBe(8);
});
