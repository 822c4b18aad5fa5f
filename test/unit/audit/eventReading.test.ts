import { expect, test } from 'vitest';
import { readEvents } from '../../../src/audit/eventReading.ts';
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
