import { expect, test } from 'vitest';
import { readEvents } from '../../../src/audit/eventReading.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import type { JsonObject } from '../../../src/json.ts';
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

test('an audit reads pages of a few large events, and of many small ones', async () => {
  const { deps } = commandRig();
  await beginUpload(deps, planOf(), BY);
  const [event] = await deps.log.readStored({ after: null, limit: 1 });
  const head = await deps.log.head();
  const asked = async (data: JsonObject): Promise<(number | undefined)[]> => {
    const bytes: (number | undefined)[] = [];
    const readStored: EventLog['readStored'] = async ({ maxBytes }) => {
      bytes.push(maxBytes);
      return event && bytes.length < 4 ? [{ ...event, data }] : [];
    };
    const query = { where: {}, order: 'asc', after: null, limit: null, form: 'stored' } as const;
    for await (const _ of readEvents({ ...deps.log, readStored }, query, head));
    return bytes;
  };
  expect(await asked({ values: Array.from({ length: 65_536 }, () => ({})) })).toEqual([65_536, 65_536, 65_536, 65_536]);
  expect(await asked({ value: 'small' })).toEqual([65_536, 1_048_576, 1_048_576, 1_048_576]);
});
