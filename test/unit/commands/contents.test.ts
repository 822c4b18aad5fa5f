import { describe, expect, test } from 'vitest';
import { contentAt, forgetStates, handle } from '../../../src/commands/handle.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { collectGarbage } from '../collectGarbage.ts';
import { type EventSchemas, openedLog } from './openedLog.ts';

const schemas: EventSchemas = { Added: { version: 1, schema: { type: 'object', properties: { n: { type: 'number' } } } } };
const heavyIn = (event: RecordedEvent): object => ({ ...event.data, text: 'x'.repeat(10_000_000) });

const filled = async () => {
  const { store, log } = openedLog(schemas);
  const decider = { initialState: () => 0, evolve: (sum: number) => sum + 1 };
  const decide = () => [1, 2].map((n) => ({ type: 'Added' as const, data: { n } }));
  const context = { subject: 's', actor: 'a', correlationId: 'c', causationId: 'c' };
  await handle({ log }, { eventStream: 'sum-1', decider, decide, context });
  let reads = 0;
  const readStream = store.readStream.bind(store);
  store.readStream = (name, options) => {
    reads += 1;
    return readStream(name, options);
  };
  return { log, contentOf: (revision: number, contentIn = heavyIn) => contentAt(log, 'sum-1', revision, contentIn), reads: () => reads };
};

describe('the content of an event', () => {
  test('is read from the log, and is null for an event that does not exist', async () => {
    const { contentOf } = await filled();
    const contents = [await contentOf(0), await contentOf(1), await contentOf(2)];
    expect(contents).toMatchObject([{ n: 1 }, { n: 2 }, null]);
  });

  test('is one object for all who use it at the same time', async () => {
    const { contentOf, reads } = await filled();
    const [one, other] = await Promise.all([contentOf(1), contentOf(1)]);
    expect(one).toBe(other);
    expect(await contentOf(1)).toBe(one);
    expect(reads()).toBe(1);
  });

  test('is kept for later callers if it is small', async () => {
    const { contentOf, reads } = await filled();
    const small = (event: RecordedEvent): object => ({ ...event.data });
    await contentOf(1, small);
    await collectGarbage();
    expect(await contentOf(1, small)).toEqual({ n: 2 });
    expect(reads()).toBe(1);
  });

  test('can be garbage-collected if it is too heavy to keep and unused', async () => {
    const { contentOf, reads } = await filled();
    await contentOf(1);
    await collectGarbage();
    await contentOf(1);
    expect(reads()).toBe(2);
  });

  test('is read again after all states were forgotten, even while a caller holds it', async () => {
    const { log, contentOf } = await filled();
    const before = await contentOf(1);
    forgetStates(log);
    const after = await contentOf(1);
    expect(after).toEqual(before);
    expect(after).not.toBe(before);
  });
});
