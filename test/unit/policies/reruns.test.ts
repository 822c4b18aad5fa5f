import { expect, test } from 'vitest';
import { OPEN_STREAMS } from '../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../src/commands/openStreams/sharedRunning.ts';
import { loadReruns } from '../../../src/commands/reruns/bulkReruns.ts';
import { type RerunQueues, rerunQueues } from '../../../src/commands/reruns/rerunQueues.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { rerunsEventStream } from '../../../src/domain/reruns/events.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { type Logger, silentLogger } from '../../../src/logger.ts';
import { type RerunsDeps, runRerunsPolicy } from '../../../src/policies/reruns.ts';
import { DamagedEventStream } from '../../../src/stores/eventStore.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { advancing, eventually } from '../../eventually.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { ManualClock } from '../../manualClock.ts';
import { openPlatform } from '../projections/node.ts';
import { runPolicy } from './runPolicy.ts';

const ALL = { state: null, since: null, until: null, streamConfigurationTemplateId: null, errorName: null, groupId: null };
const NOT_ASKED = () => Promise.reject(new Error('no stream of these tests comes so far'));

const open = async ({ damaged = [], mayWrite = () => true }: { damaged?: string[]; mayWrite?: () => boolean }) => {
  const clock = new ManualClock();
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, clock });
  const log: EventLog = {
    ...platform.log,
    readStream: async (eventStream, options) => {
      if (damaged.includes(eventStream)) throw new DamagedEventStream(eventStream, 'revision 1 is missing');
      return platform.log.readStream(eventStream, options);
    },
  };
  const queues = rerunQueues(platform.documents);
  let looks = 0;
  const counted: RerunQueues = {
    ...queues,
    list: (page) => {
      looks++;
      return queues.list(page);
    },
  };
  const logged: object[] = [];
  // A spread leaves out what a logger inherits.
  const logger: Logger = { ...silentLogger, child: () => logger as never, error: (fields: object) => void logged.push(fields) };
  await platform.documents.ensureCollection(OPEN_STREAMS);
  const runningStreams = new SharedRunning({
    documents: platform.documents,
    clock: clock,
    limit: 5,
    totalLimit: 1_000_000,
    node: async () => null,
  });
  const deps: RerunsDeps = {
    ...{ ...platform, log, clock, logger, runningStreams, queues: counted, mayWrite },
    ...{ limits: DEFAULT_LIMITS, topics: new MemoryTopics(clock), templates: { find: NOT_ASKED }, checkStages: NOT_ASKED },
  };
  const request = async (subject: string, ...streamIds: string[]) => {
    const data = {
      ...{ requestId: 'r', filter: ALL, from: null, patches: {}, reason: null, matched: streamIds.length, queued: streamIds.length },
      ...{ requestedBy: 'credential', correlationId: 'c', idempotency: null },
    };
    await platform.append(rerunsEventStream(subject), 'BulkRerunRequested', data);
    await platform.append(rerunsEventStream(subject), 'RerunsQueued', { requestId: 'r', streamIds });
  };
  const run = () => runPolicy(runRerunsPolicy, deps);
  const bulkOf = async (subject: string) => (await loadReruns(platform.log, subject)).requests[0];
  return { clock, request, run, bulkOf, queues, logged, looks: () => looks };
};

test('refuses a stream with a damaged event stream, and continues with the next ones', async () => {
  const { clock, request, run, bulkOf } = await open({ damaged: ['stream-a'] });
  await request('anna', 'a', 'b');
  run();
  await advancing(async () => {
    await clock.advance(100);
    return (await bulkOf('anna'))?.state === 'COMPLETED';
  });
  expect((await bulkOf('anna'))?.refusals).toEqual([
    { streamId: 'a', statusCode: 503, message: expect.stringContaining('The event stream stream-a is damaged') },
    { streamId: 'b', statusCode: 404, message: 'No such stream.' },
  ]);
});

test("runs other users' reruns if one user's cannot be read, and logs that once", async () => {
  const { clock, request, run, bulkOf, queues, logged, looks } = await open({ damaged: ['reruns-anna'] });
  await request('anna', 'a');
  await request('ben', 'b');
  run();
  await advancing(async () => {
    await clock.advance(1_000);
    return (await bulkOf('ben'))?.state === 'COMPLETED' && logged.length > 0;
  });
  await advancing(async () => {
    await clock.advance(1_000);
    return looks() > 10;
  });
  expect(await queues.list({ skip: 0, limit: 9 })).toEqual(['anna']);
  expect(logged).toEqual([{ subject: 'anna', err: expect.objectContaining({ name: 'DamagedEventStream' }) }]);
});

test('checks the queues once a second while no user may start a stream', async () => {
  const { clock, request, run, looks } = await open({ mayWrite: () => false });
  await request('anna', 'a');
  await request('ben', 'b');
  run();
  await eventually(() => looks() >= 2);
  await clock.advance(20);
  const before = looks();
  for (let n = 0; n < 40; n++) {
    await clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(looks() - before).toBeGreaterThanOrEqual(3);
  expect(looks() - before).toBeLessThanOrEqual(4);
});
