import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelStream } from '../../src/commands/changeOwnStream.ts';
import { newestRuns } from '../../src/domain/stream/attempts.ts';
import { ProcessorError } from '../../src/processors/processor.ts';
import { eventually } from '../eventually.ts';
import { OWNER, type RunnerOptions, runnerRig, type Step } from './runnerRig.ts';

type Rig = Awaited<ReturnType<typeof runnerRig>>;

const LIGHT = { light: true } as const;
const copy: Step = async ({ input, output }) => {
  for await (const bytes of input.bytes()) await output.bytes(bytes);
  return {};
};

/** A running runner, which sees later uploads from their start. */
const startLight = async (rig: Rig, steps: Record<string, Step>, options: RunnerOptions = {}) => {
  const started = rig.start({ ...steps, first: copy }, { ...LIGHT, ...options });
  await ended(rig, (await rig.upload([{ id: 'first' }])).streamId);
  return started;
};

const typesOf = async (rig: Rig, streamId: string) => (await rig.eventsOf(streamId)).map(({ type }) => type);
const ended = (rig: Rig, streamId: string) =>
  eventually(async () => {
    const state = await rig.state(streamId);
    return state.stream.state !== 'READY' && state;
  });
const isFile = (rig: Rig, topic: string) => existsSync(join(rig.dataDir, 'topics', topic.slice(0, 2), topic));

test('stores start, end and output of a light run in one commit, with the end of the stream', async () => {
  const rig = await runnerRig();
  await startLight(rig, { one: copy });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  expect(newestRuns(await ended(rig, streamId))[0]).toMatchObject({ state: 'COMPLETED', attempt: 1 });
  expect(await typesOf(rig, streamId)).toEqual([
    ...['StreamCreated', 'UploadCompleted', 'ProcessorStarted', 'ProcessorCompleted', 'StreamCompleted'],
  ]);
  expect(await rig.read(outputOf('one'))).toBe('some bytes');
  expect(isFile(rig, outputOf('one'))).toBe(false);
});

test('runs a chain of light runs in order', async () => {
  const rig = await runnerRig();
  await startLight(rig, { one: copy, two: copy });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }, { id: 'two', after: 'one' }]);
  expect((await ended(rig, streamId)).stream.state).toBe('COMPLETED');
  expect(await rig.read(outputOf('two'))).toBe('some bytes');
});

test('records the start of a light run that takes longer while it runs', async () => {
  const rig = await runnerRig();
  let go = (): void => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  await startLight(rig, {
    one: async ({ output }) => {
      await output.bytes(Buffer.from('half'));
      await wait;
      await output.bytes(Buffer.from(' done'));
      return {};
    },
  });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  await eventually(async () => newestRuns(await rig.state(streamId))[0]?.state === 'RUNNING');
  expect(await rig.read(outputOf('one'))).toBe('half');
  go();
  expect((await ended(rig, streamId)).stream.state).toBe('COMPLETED');
  expect(await rig.read(outputOf('one'))).toBe('half done');
});

test('writes the large output of a light run as it is made', async () => {
  const rig = await runnerRig();
  await startLight(rig, { one: copy });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }], 'x'.repeat(200_000));
  expect(newestRuns(await ended(rig, streamId))[0]?.quantities?.egressSize).toBe(200_000);
  expect((await rig.read(outputOf('one'))).length).toBe(200_000);
  expect(isFile(rig, outputOf('one'))).toBe(true);
});

test('records the start of a failed light run, and retries it like any other', async () => {
  const rig = await runnerRig();
  let tries = 0;
  await startLight(
    rig,
    {
      one: async ({ output }) => {
        tries++;
        await output.bytes(Buffer.from('nothing'));
        throw new ProcessorError('PROCESSOR_GENERAL_ERROR', 'not today', true);
      },
    },
    { maxAttempts: 2 },
  );
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  expect((await ended(rig, streamId)).stream.stateDescription).toBe('not today');
  expect(tries).toBe(2);
  expect((await typesOf(rig, streamId)).slice(2)).toEqual(['ProcessorStarted', 'ProcessorStarted', 'ProcessorFailed', 'StreamFailed']);
  expect(await rig.topics.manifest(outputOf('one'))).toBeNull();
});

test('records the start of a repeated run after a restart first, since it may have crashed the process', async () => {
  const rig = await runnerRig();
  const { streamId } = await rig.upload([{ id: 'one' }]);
  const stuck = rig.start(
    { one: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) },
    LIGHT,
  );
  await eventually(async () => newestRuns(await rig.state(streamId))[0]?.attempt === 1);
  await stuck.stop();
  rig.start({ one: copy }, LIGHT);
  expect(newestRuns(await ended(rig, streamId))[0]).toMatchObject({ state: 'COMPLETED', attempt: 2 });
});

test('leaves no trace of a light run that is cancelled before its start was recorded', async () => {
  const rig = await runnerRig();
  let began = false;
  await startLight(rig, {
    one: ({ signal }) => {
      began = true;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  await eventually(() => began);
  await cancelStream(rig.deps, { streamId, caller: { subject: OWNER, actor: 'test', roles: ['user'] } }, rig.by);
  expect(newestRuns(await rig.state(streamId))[0]?.state).toBe('CLOSED');
  expect(await typesOf(rig, streamId)).toEqual(['StreamCreated', 'UploadCompleted', 'StreamCanceled']);
  expect(await rig.topics.size(outputOf('one'))).toBeNull();
});

test("lets no run wait for hanging runs at users' processors", async () => {
  const rig = await runnerRig();
  const [hanging, healthy] = ['a', 'b'].map((digit) => `${digit.repeat(24)}@1`) as [string, string];
  const hang: Step = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await startLight(rig, { [hanging]: hang, [healthy]: copy });
  for (let n = 0; n < 48; n++)
    await rig.upload([{ id: 'stage', declarationId: hanging }], 'x', `${3 + (n % 3)}`.repeat(8) + OWNER.slice(8));
  const { streamId } = await rig.upload([{ id: 'stage', declarationId: healthy }]);
  expect((await ended(rig, streamId)).stream.state).toBe('COMPLETED');
});
