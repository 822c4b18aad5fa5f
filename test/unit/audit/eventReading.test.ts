import { expect, test } from 'vitest';
import { boundedEvents, readEvents, type ShownEvent } from '../../../src/audit/eventReading.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { BY, commandRig, planOf } from '../../fakes/commandRig.ts';

test('an audit reads past pages that are short because of their bytes', async () => {
  const { deps } = commandRig();
  await beginUpload(deps, planOf(), BY);
  const wanted = await deps.log.readStored({ after: null, limit: 100 });
  expect(wanted.length).toBeGreaterThan(1);
  const log: EventLog = { ...deps.log, readStored: (options) => deps.log.readStored({ ...options, limit: 1 }) };
  const read: string[] = [];
  for await (const page of readEvents(log, { where: {}, order: 'asc', after: null, limit: null, form: 'stored' }, await deps.log.head()))
    read.push(...page.map(({ id }) => id));
  expect(read).toEqual(wanted.map(({ id }) => id));
});

test('an answer has as many events as take 4 MiB as JSON, and at least one', async () => {
  const events = (count: number, values: number): ShownEvent[] =>
    Array.from({ length: count }, (_, n) => ({
      ...{ id: String(n), eventStream: 'stream-1', type: 'Large', revision: String(n), position: String(n), metadata: {} },
      data: Array.from({ length: values }, () => ({})),
    }));
  const answered = async (pages: readonly ShownEvent[][]) => {
    const { content, cut } = await boundedEvents(
      (async function* () {
        yield* pages;
      })(),
    );
    return [content.length, cut];
  };
  expect(await answered([events(2, 1_500_000)])).toEqual([1, true]);
  expect(await answered([events(500, 1)])).toEqual([500, false]);
  const long = events(50, 0).map((event) => ({ ...event, data: 'x'.repeat(200_000) }));
  expect(await answered([long])).toEqual([20, true]);
});
