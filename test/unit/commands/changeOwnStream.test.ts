import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { renameStream } from '../../../src/commands/changeOwnStream.ts';
import type { Role } from '../../../src/domain/credentials/events.ts';
import { DISK_ELSEWHERE } from '../../../src/stores/diskSpace.ts';
import { limitedLog } from '../../../src/stores/log/limitedLog.ts';
import { LogPace } from '../../../src/stores/log/logPace.ts';
import { LogUsage } from '../../../src/stores/log/logUsage.ts';
import { commandRig } from '../../fakes/commandRig.ts';
import { link, OTHER, OWNER, STREAM, streamCreated } from '../../fakes/streamStory.ts';

/** A stream whose owner has to wait for the pace, and callers who rename it. */
const pacedStream = async () => {
  const { deps, clock, store } = commandRig();
  const pace = new LogPace(clock);
  const log = limitedLog(deps.log, { pace, usage: new LogUsage(0, clock), disk: DISK_ELSEWHERE });
  const context = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  await log.append(`stream-${STREAM}`, { revision: 'no stream', hash: null }, [streamCreated([link('echo', null)])], context);
  pace.count(OWNER, 6 * 1_048_576);
  const rename = (subject: string, role: Role) => {
    const caller = { subject, actor: randomUUID(), roles: [role] };
    return renameStream({ log }, { streamId: STREAM, name: 'x', caller }, { ...context, subject, actor: caller.actor });
  };
  return { rename, clock, store, pace };
};

test("an administrator's command does not wait for the owner's pace", async () => {
  const { rename, store } = await pacedStream();
  await rename(OTHER, 'admin');
  expect(store.events.at(-1)).toMatchObject({ type: 'StreamRenamed', metadata: { subject: OWNER } });
});

test("the owner's command waits for the owner's pace", async () => {
  const { rename, clock } = await pacedStream();
  let renamed = false;
  const renaming = rename(OWNER, 'user').then(() => {
    renamed = true;
  });
  await clock.advance(500);
  expect(renamed).toBe(false);
  await clock.advance(1_000);
  await renaming;
  expect(renamed).toBe(true);
});
