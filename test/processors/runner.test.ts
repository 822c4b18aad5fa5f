import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { cancelStream } from '../../src/commands/changeOwnStream.ts';
import { completeRun, startRun } from '../../src/commands/recordRun.ts';
import { failUpload } from '../../src/commands/upload.ts';
import { newestRuns } from '../../src/domain/stream/attempts.ts';
import { EngineAway, type Processor, ProcessorError, type RunContext } from '../../src/processors/processor.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import type { Documents } from '../../src/stores/documents.ts';
import { openEmbeddedTopics } from '../../src/stores/embedded/topics.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import type { Topics } from '../../src/stores/topics.ts';
import { BESIDE_OTHERS, eventually } from '../eventually.ts';
import { MemoryLeases } from '../fakes/memoryLeases.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { runnerRig, type Step } from './runnerRig.ts';

const copy: Step = async ({ input, output }) => {
  for await (const data of input.bytes()) await output.bytes(data);
  return {};
};

/** Appends its name to its input. */
const sign: Step = async (context, id) => {
  await copy(context, id);
  await context.output.bytes(Buffer.from(` ${id}`));
  return { processedAudioLength: 1_000 };
};

/** Runs until it is aborted. */
const forever = ({ signal }: RunContext) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const finished = (rig: Awaited<ReturnType<typeof runnerRig>>, streamId: string) =>
  eventually(async () => {
    const state = await rig.state(streamId);
    return state.stream.state !== 'READY' && state;
  });

test('runs a chain in order, each processor on the output of the previous one, and ends the stream', async () => {
  const rig = await runnerRig();
  rig.start({ one: sign, two: sign, side: sign });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }, { id: 'two', after: 'one' }, { id: 'side' }]);
  const state = await finished(rig, streamId);
  expect(state.stream.state).toBe('COMPLETED');
  expect(await rig.read(outputOf('two'))).toBe('some bytes one two');
  expect(await rig.read(outputOf('side'))).toBe('some bytes side');
  const { attempt, quantities, bill } = newestRuns(state)[1] ?? {};
  expect(attempt).toBe(1);
  expect(quantities).toMatchObject({
    ingressSize: 14,
    egressSize: 18,
    storageSize: 18,
    processedAudioLength: 1_000,
    processedTokens: null,
  });
  expect(bill?.credits).toBe('0.000007');
});

test('runs a live processor while the upload continues', async () => {
  const rig = await runnerRig();
  rig.start(openProcessors({ clock: systemClock }));
  const upload = await rig.begin([{ id: 'echo', mode: 'live' }]);
  await upload.write('first');
  await eventually(async () => (await rig.topics.size(upload.outputOf('echo')))?.bytes === 5);
  expect(newestRuns(await rig.state(upload.streamId))[0]?.state).toBe('RUNNING');
  await upload.write(' second');
  await upload.end();
  expect((await finished(rig, upload.streamId)).stream.state).toBe('COMPLETED');
  expect(await rig.read(upload.outputOf('echo'))).toBe('first second');
});

test('starts a batch processor after the end of the upload', async () => {
  const rig = await runnerRig();
  rig.start({ one: sign });
  const upload = await rig.begin([{ id: 'one' }]);
  await upload.write('first');
  await upload.end();
  expect((await finished(rig, upload.streamId)).stream.state).toBe('COMPLETED');
  const types = (await rig.eventsOf(upload.streamId)).map(({ type }) => type);
  expect(types).toEqual(['StreamCreated', 'UploadCompleted', 'ProcessorStarted', 'ProcessorCompleted', 'StreamCompleted']);
});

test('leaves no outcome at a stop, and repeats the run as the next attempt at the next start, with empty output', async () => {
  const rig = await runnerRig();
  let began = 0;
  const stuck = rig.start({
    one: async (context) => {
      await context.output.bytes(Buffer.from('half'));
      began++;
      return forever(context);
    },
  });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  await eventually(() => began === 1);
  await stuck.stop();
  expect(newestRuns(await rig.state(streamId))[0]).toMatchObject({ state: 'RUNNING', attempt: 1 });
  rig.start({ one: sign });
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'COMPLETED', attempt: 2 });
  expect(await rig.read(outputOf('one'))).toBe('some bytes one');
  expect((await rig.eventsOf(streamId)).map(({ type }) => type)).toEqual([
    ...['StreamCreated', 'UploadCompleted', 'ProcessorStarted', 'ProcessorStarted', 'ProcessorCompleted', 'StreamCompleted'],
  ]);
});

test('finds at its start streams that were uploaded while no runner was there', async () => {
  const rig = await runnerRig();
  const uploads = [await rig.upload([{ id: 'one' }]), await rig.upload([{ id: 'one' }])];
  rig.start({ one: sign });
  for (const { streamId } of uploads) expect((await finished(rig, streamId)).stream.state).toBe('COMPLETED');
});

test('leaves a run to the next holder if its lease is lost before it starts', async () => {
  const rig = await runnerRig();
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  const leases = new MemoryLeases();
  const name = `run/${streamId}/one`;
  const { tryAcquire } = leases;
  let asked = 0;
  leases.tryAcquire = async (wanted) => {
    const lease = await tryAcquire.call(leases, wanted);
    if (wanted !== name) return lease;
    asked += 1;
    if (asked > 1) return lease;
    leases.lose(name);
    // The next holder is at work.
    await startRun(rig.deps, { streamId, processorId: 'one', attempt: 1 }, rig.by);
    await rig.topics.create(outputOf('one'));
    await rig.topics.append(outputOf('one'), [Buffer.from('of the next')]);
    await tryAcquire.call(leases, name);
    return lease;
  };
  rig.start({ one: sign }, { leases });
  // A second request cancels the first one's work.
  await eventually(() => asked > 1);
  expect(await rig.read(outputOf('one'))).toBe('of the next');
});

test('waits for a store that is away at the start', async () => {
  const rig = await runnerRig();
  const { streamId } = await rig.upload([{ id: 'one' }]);
  const away = new Set(['readCheckpoint', 'find']);
  const documents: Documents = new Proxy(rig.documents, {
    get: (target, member) => {
      const value = Reflect.get(target, member);
      if (away.delete(String(member))) return () => Promise.reject(new StoreUnavailable('away'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  rig.start({ one: sign }, { documents });
  expect((await finished(rig, streamId)).stream.state).toBe('COMPLETED');
  expect(away.size).toBe(0);
});

/** The stores of a rig as those of several nodes: topics are stored before the append of their events. `stored`: those that were stored whole. */
const storingWhole = ({ topics, log }: Pick<Awaited<ReturnType<typeof runnerRig>>, 'topics' | 'log'>) => {
  const stored: string[] = [];
  const whole: Topics['whole'] = (topic, frames, attributes) => {
    const written = topics.whole(topic, frames, attributes);
    const store = async () => {
      stored.push(topic);
      await topics.create(topic);
      await topics.append(topic, frames);
      await topics.seal(topic, attributes);
    };
    let storing: Promise<void> | undefined;
    return written && { topic, manifest: written.manifest, stored: () => (storing ??= store()) };
  };
  const proxy = new Proxy(topics, {
    get: (target, member) => {
      const value = member === 'whole' ? whole : Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { topics: proxy, stored, log: { ...log, keepsTopics: false } };
};

test('light work on one of several nodes stores its output first, and then its start with its end', async () => {
  const rig = await runnerRig();
  const { stored, ...stores } = storingWhole(rig);
  rig.start({ one: sign }, { ...stores, light: true, leases: new MemoryLeases() });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  expect(newestRuns(await finished(rig, streamId))[0]).toMatchObject({ state: 'COMPLETED', attempt: 1 });
  expect(stored).toEqual([outputOf('one')]);
  expect(await rig.read(outputOf('one'))).toBe('some bytes one');
  expect((await rig.eventsOf(streamId)).map(({ type }) => type)).toEqual([
    ...['StreamCreated', 'UploadCompleted', 'ProcessorStarted', 'ProcessorCompleted', 'StreamCompleted'],
  ]);
});

test('the output of light work that was canceled meanwhile is deleted once it is stored', async () => {
  const rig = await runnerRig();
  const calls: string[] = [];
  const topics = new Proxy(rig.topics, {
    get: (target, member) => {
      const value = Reflect.get(target, member);
      if (member === 'delete') return async () => void calls.push('deleted');
      if (member !== 'whole') return typeof value === 'function' ? value.bind(target) : value;
      return (...whole: Parameters<Topics['whole']>) => {
        const written = target.whole(...whole);
        // Like MongoDB, it begins at once. It ends long after the cancellation.
        const storing = turnsOfTheLoop(1_000).then(() => void calls.push('stored'));
        return written && { topic: whole[0], manifest: written.manifest, stored: () => storing };
      };
    },
  });
  const { streamId } = await rig.upload([{ id: 'one' }]);
  const [echo] = openProcessors({ clock: systemClock }).list();
  if (!echo) throw new Error('no echo');
  const caller = { subject: rig.by.subject, actor: 'test', roles: ['user' as const] };
  const one: Processor = {
    ...{ ...echo, mode: 'batch', light: true, run: (context) => copy(context, 'one') },
    // Its price is asked for after its output is passed on.
    bill: async () => {
      await cancelStream(rig.deps, { streamId, caller }, rig.by);
      return null;
    },
  };
  const processors = { get: () => one, list: () => [one] };
  rig.start(processors, { topics, leases: new MemoryLeases() });
  await eventually(() => expect(calls).toEqual(['stored', 'deleted']));
});

const turnsOfTheLoop = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await setImmediate();
};

test('the output of light work whose worker died before its events is recorded, and the work not done again', async () => {
  const rig = await runnerRig();
  const { stored: _, ...stores } = storingWhole(rig);
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  const quantities = { executionTime: 5, storageSize: 4, ingressSize: 10, egressSize: 4, processedAudioLength: null };
  await stores.topics.whole(outputOf('one'), [Buffer.from('done')], { attempt: 1, description: 'as stored', quantities })?.stored?.();
  const leases = new MemoryLeases();
  await (await leases.tryAcquire(`run/${streamId}/one`))?.release();
  rig.start({ one: () => Promise.reject(new Error('must not run')) }, { ...stores, light: true, leases });
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'COMPLETED', attempt: 1, stateDescription: 'as stored' });
  expect(await rig.read(outputOf('one'))).toBe('done');
});

test('light work that another node may have died of has its start in the log while it runs', async () => {
  const rig = await runnerRig();
  const { stored, ...stores } = storingWhole(rig);
  const { streamId } = await rig.upload([{ id: 'one' }]);
  const leases = new MemoryLeases();
  await (await leases.tryAcquire(`run/${streamId}/one`))?.release();
  rig.start({ one: forever }, { ...stores, light: true, leases });
  await eventually(async () => newestRuns(await rig.state(streamId))[0]?.state === 'RUNNING');
  expect(stored).toEqual([]);
});

test('records sealed output of a run whose worker died, without repeating the run', async () => {
  const rig = await runnerRig();
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  await startRun(rig.deps, { streamId, processorId: 'one', attempt: 1 }, rig.by);
  await rig.topics.create(outputOf('one'));
  await rig.topics.append(outputOf('one'), [Buffer.from('done')]);
  const quantities = { executionTime: 5, storageSize: 4, ingressSize: 10, egressSize: 4, processedAudioLength: null };
  await rig.topics.seal(outputOf('one'), { attempt: 1, description: 'as sealed', quantities });
  rig.start({ one: () => Promise.reject(new Error('must not run')) });
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({
    state: 'COMPLETED',
    attempt: 1,
    stateDescription: 'as sealed',
    quantities: { egressSize: 4 },
  });
});

test('repeats a run whose sealed output lost frames in a power cut', async () => {
  const rig = await runnerRig();
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  const output = outputOf('one');
  await startRun(rig.deps, { streamId, processorId: 'one', attempt: 1 }, rig.by);
  const before = await openEmbeddedTopics({ directory: join(rig.dataDir, 'topics'), clock: systemClock });
  await before.create(output);
  await before.append(output, [Buffer.from('done'), Buffer.from('LOST')]);
  const quantities = { executionTime: 5, storageSize: 4, ingressSize: 10, egressSize: 8, processedAudioLength: null };
  await before.seal(output, { attempt: 1, description: 'as sealed', quantities });
  await before.close();
  const file = join(rig.dataDir, 'topics', output.slice(0, 2), output);
  const bytes = readFileSync(file);
  bytes.fill(0, bytes.indexOf('LOST'), bytes.indexOf('LOST') + 4);
  writeFileSync(file, bytes);
  rig.start({ one: sign });
  expect(newestRuns(await finished(rig, streamId))[0]).toMatchObject({ state: 'COMPLETED', attempt: 2 });
  expect(await rig.read(output)).toBe('some bytes one');
});

test('ignores an outcome of an outdated attempt', async () => {
  const rig = await runnerRig();
  let began = 0;
  const { runner } = rig.start({ one: (context) => (began++ === 0 ? overtaken(context) : sign(context, 'one')) });
  const { streamId } = await rig.upload([{ id: 'one' }]);
  // Like another node that took this one for dead.
  const overtaken = async (context: RunContext) => {
    await startRun(rig.deps, { streamId, processorId: 'one', attempt: 2 }, rig.by);
    return sign(context, 'stale');
  };
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'COMPLETED', attempt: 3 });
  const bill = { priceList: 'x', credits: '9', lines: [] };
  const quantities = newestRuns(state)[0]?.quantities;
  if (!quantities) throw new Error('no quantities');
  const late = { streamId, processorId: 'one', attempt: 1, description: null, quantities, bill };
  expect((await completeRun(rig.deps, late, rig.by)).outcome).toBe('stale');
  await eventually(() => runner.active() === 0);
});

test('closes the stages after a failure, completes other branches, bills nothing, and deletes the output', async () => {
  const rig = await runnerRig();
  const bad: Step = async ({ output }) => {
    await output.bytes(Buffer.from('half'));
    throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', 'The audio was too quiet.');
  };
  rig.start({ bad, behind: sign, other: sign });
  const { streamId, outputOf } = await rig.upload([{ id: 'bad' }, { id: 'behind', after: 'bad' }, { id: 'other' }]);
  const state = await finished(rig, streamId);
  expect(state.stream).toMatchObject({ state: 'FAILED', stateDescription: 'The audio was too quiet.' });
  expect(newestRuns(state)).toMatchObject([
    { state: 'ERROR', errorName: 'PROCESSOR_TRANSCRIPTION_ERROR', attempt: 1, bill: { credits: '0' } },
    { state: 'CLOSED' },
    { state: 'COMPLETED' },
  ]);
  expect(await rig.read(outputOf('other'))).toBe('some bytes other');
  await eventually(async () => (await rig.topics.size(outputOf('bad'))) === null);
});

test('tries a retryable failure MAX_ATTEMPTS times', async () => {
  const rig = await runnerRig();
  let away = 0;
  const engine: Step = () => Promise.reject(new ProcessorError('PROCESSOR_GENERAL_ERROR', `away ${++away}`, true));
  rig.start(
    {
      engine,
      later: (context) =>
        ++away < 10 ? Promise.reject(new ProcessorError('PROCESSOR_GENERAL_ERROR', 'away', true)) : sign(context, 'later'),
    },
    { maxAttempts: 2 },
  );
  const failed = await finished(rig, (await rig.upload([{ id: 'engine' }])).streamId);
  expect(newestRuns(failed)[0]).toMatchObject({ state: 'ERROR', attempt: 2, stateDescription: 'away 2' });
  away = 8;
  const passed = await finished(rig, (await rig.upload([{ id: 'later' }])).streamId);
  expect(newestRuns(passed)[0]).toMatchObject({ state: 'COMPLETED', attempt: 2 });
});

test('counts the failures of a processor on after a restart, but not the tries that the restart ended', async () => {
  const rig = await runnerRig();
  let tries = 0;
  const fails: Step = ({ signal }) => {
    if (++tries !== 2) return Promise.reject(new ProcessorError('PROCESSOR_GENERAL_ERROR', 'away', true));
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const { streamId } = await rig.upload([{ id: 'fails' }]);
  const first = rig.start({ fails }, { maxAttempts: 3 });
  await eventually(() => tries === 2);
  await first.stop();
  rig.start({ fails }, { maxAttempts: 3 });
  expect(newestRuns(await finished(rig, streamId))[0]).toMatchObject({ state: 'ERROR', attempt: 4 });
  const starts = (await rig.eventsOf(streamId)).filter(({ type }) => type === 'ProcessorStarted');
  expect(starts.map(({ data }) => ('failures' in data ? data.failures : 0))).toEqual([0, 1, 1, 2]);
});

test('waits for an engine server that is down without using up MAX_ATTEMPTS, then fails with its name', async () => {
  const rig = await runnerRig();
  let asked = 0;
  const away = () => Promise.reject(new EngineAway('PROCESSOR_GENERAL_ERROR', 'The engine failed (503).', 'http://engine/v1'));
  const back: Step = (context) => (++asked < 4 ? away() : sign(context, 'back'));
  rig.start({ back }, { maxAttempts: 2, engineRetryMilliseconds: 60_000 });
  const passed = await finished(rig, (await rig.upload([{ id: 'back' }])).streamId);
  expect(newestRuns(passed)[0]).toMatchObject({ state: 'COMPLETED', attempt: 1 });
  const other = await runnerRig();
  other.start({ gone: away }, { maxAttempts: 5, engineRetryMilliseconds: 0 });
  const failed = await finished(other, (await other.upload([{ id: 'gone' }])).streamId);
  expect(newestRuns(failed)[0]).toMatchObject({
    state: 'ERROR',
    stateDescription: 'The engine failed (503). It was tried for 0 s at http://engine/v1 (ENGINE_RETRY_S).',
  });
});

test('doubles the pauses of a run whose processor is away, up to 15 s and the end of ENGINE_RETRY_S', async () => {
  const pauses: number[] = [];
  let past = 0;
  // Pauses are over at once, and the clock is further by them.
  const clock: Clock = {
    ...systemClock,
    monotonic: () => past,
    pause: async (milliseconds, signal) => {
      // Shorter ones and 5 s are those of others.
      if (milliseconds <= 1_000 || milliseconds === 5_000) return systemClock.pause(milliseconds, signal);
      pauses.push(milliseconds);
      past += milliseconds;
      return 'elapsed';
    },
  };
  const rig = await runnerRig();
  const away: Step = () => Promise.reject(new EngineAway('PROCESSOR_GENERAL_ERROR', 'Mine refused.', null, 0, 1_100));
  rig.start({ away }, { engineRetryMilliseconds: 40_000, clock });
  const failed = await finished(rig, (await rig.upload([{ id: 'away' }])).streamId);
  expect(newestRuns(failed)[0]?.stateDescription).toBe('Mine refused. It was tried for 40 s (ENGINE_RETRY_S).');
  expect(pauses).toEqual([1_100, 2_200, 4_400, 8_800, 15_000, 8_500]);
});

test('retries an unexpected error a few times and never shows its text', async () => {
  const rig = await runnerRig();
  let times = 0;
  rig.start({ one: () => Promise.reject(new Error(`ENOSPC /secret/path ${++times}`)) });
  const state = await finished(rig, (await rig.upload([{ id: 'one' }])).streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'ERROR', stateDescription: 'The processor failed unexpectedly.', attempt: 1 });
  expect(times).toBe(5);
});

test('fails a run whose worker dies repeatedly', async () => {
  const rig = await runnerRig();
  const { streamId } = await rig.upload([{ id: 'one' }]);
  await startRun(rig.deps, { streamId, processorId: 'one', attempt: 23 }, rig.by);
  rig.start({ one: sign });
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'ERROR', stateDescription: 'The worker died repeatedly during this run.' });
});

test('aborts a cancelled run within a second, and runs the next stream', async () => {
  const rig = await runnerRig();
  let reason: unknown;
  const { runner } = rig.start({
    one: async (context) => {
      await context.output.bytes(Buffer.from('half'));
      context.signal.addEventListener('abort', () => {
        reason = context.signal.reason;
      });
      return forever(context);
    },
    two: sign,
  });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  await eventually(async () => (await rig.topics.size(outputOf('one')))?.bytes === 4);
  const asked = performance.now();
  await cancelStream(rig.deps, { streamId, caller: { subject: rig.by.subject, actor: 'test', roles: ['user'] } }, rig.by);
  await eventually(() => runner.active() === 0);
  expect(performance.now() - asked).toBeLessThan(1_000 * BESIDE_OTHERS);
  expect(reason).toMatchObject({ message: 'the run is not wanted any more' });
  expect((await rig.state(streamId)).stream).toMatchObject({ state: 'FAILED', stateDescription: 'Canceled by user' });
  expect(await rig.topics.size(outputOf('one'))).toBeNull();
  expect((await finished(rig, (await rig.upload([{ id: 'two' }])).streamId)).stream.state).toBe('COMPLETED');
});

test('gives no live engine to streams without speech, and detects their ends', async () => {
  const rig = await runnerRig();
  const [echo] = openProcessors({ clock: systemClock }).list();
  if (!echo) throw new Error('no echo');
  const engine: Processor = { ...echo, holdsEngine: true, run: (context) => copy(context, 'engine') };
  rig.start({ get: () => engine, list: () => [engine] });
  const begin = () => rig.begin([{ id: 'engine', mode: 'live' }]);
  // One user gets at most two of the four engines.
  const idle = [await begin(), await begin()];
  const spoken = await begin();
  await spoken.write('words');
  await eventually(async () => (await rig.topics.size(spoken.outputOf('engine')))?.bytes === 5);
  for (const { streamId } of idle) expect(newestRuns(await rig.state(streamId))[0]?.state).toBe('WAITING');
  for (const { end } of [...idle, spoken]) await end();
  for (const { streamId } of [...idle, spoken]) expect((await finished(rig, streamId)).stream.state).toBe('COMPLETED');
});

test('lets a run wait while its processor has no place, and runs those of other processors meanwhile', async () => {
  const rig = await runnerRig();
  const [echo] = openProcessors({ clock: systemClock }).list();
  if (!echo) throw new Error('no echo');
  const [hanging, healthy] = ['a', 'b'].map((letter) => `${letter.repeat(24)}@1`);
  const own: Processor = {
    ...echo,
    places: async (_, declarationId) => ({ declarationId, concurrency: 1 }),
    run: (context) => (context.run?.link.declarationId === hanging ? forever(context) : copy(context, 'healthy')),
  };
  const { runner } = rig.start({ get: () => own, list: () => [own] });
  const link = (declarationId = '') => [{ id: 'mine', declarationId }];
  const hangs = await rig.upload(link(hanging));
  await eventually(async () => newestRuns(await rig.state(hangs.streamId))[0]?.state === 'RUNNING');
  const waits = await Promise.all(Array.from({ length: 17 }, () => rig.upload(link(hanging))));
  await eventually(() => runner.load().waiting.remote === waits.length);
  expect((await finished(rig, (await rig.upload(link(healthy))).streamId)).stream.state).toBe('COMPLETED');
  for (const { streamId } of waits) expect(newestRuns(await rig.state(streamId))[0]?.state).toBe('WAITING');
  expect(runner.load().running.remote).toBe(1);
});

test('ends a run that is cancelled while it waits for its processor', async () => {
  const rig = await runnerRig();
  const [echo] = openProcessors({ clock: systemClock }).list();
  if (!echo) throw new Error('no echo');
  const own: Processor = { ...echo, places: async (_, declarationId) => ({ declarationId, concurrency: 1 }), run: forever };
  const { runner } = rig.start({ get: () => own, list: () => [own] });
  const link = [{ id: 'mine', declarationId: `${'a'.repeat(24)}@1` }];
  await rig.upload(link);
  await eventually(() => runner.load().running.remote === 1);
  const { streamId } = await rig.upload(link);
  await eventually(() => runner.load().waiting.remote === 1);
  await cancelStream(rig.deps, { streamId, caller: { subject: rig.by.subject, actor: 'test', roles: ['user'] } }, rig.by);
  await eventually(() => runner.active() === 1);
  expect(runner.load()).toMatchObject({ running: { remote: 1 }, waiting: { remote: 0 } });
});

test('leaves no bytes of live processors after an interrupted upload, whatever happens first', async () => {
  const rig = await runnerRig();
  const { runner } = rig.start(openProcessors({ clock: systemClock }));
  for (const order of ['log first', 'topic first']) {
    const { streamId, source, outputOf, write } = await rig.begin([{ id: 'echo', mode: 'live' }]);
    await write('half');
    await eventually(async () => (await rig.topics.size(outputOf('echo')))?.bytes === 4);
    if (order === 'topic first') await rig.topics.delete(source);
    await failUpload(rig.deps, { streamId, reason: 'The client broke off.' }, rig.by);
    await rig.topics.delete(source);
    await eventually(() => runner.active() === 0);
    expect((await rig.state(streamId)).stream).toMatchObject({ state: 'FAILED', stateDescription: 'The client broke off.' });
    await eventually(async () => (await rig.topics.size(outputOf('echo'))) === null);
  }
});

test('rotates between owners, and between the short and the long runs of one', async () => {
  const rig = await runnerRig();
  const order: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const note: Step = async ({ properties }) => {
    order.push(String(properties.name));
    if (properties.name === 'gate') await gate;
    return {};
  };
  const { runner } = rig.start({ note }, { concurrency: 1 });
  const named = (name: string) => [{ id: 'note', properties: { name } }];
  const uploads = [await rig.upload(named('gate'))];
  await eventually(() => order.length === 1);
  const big = Buffer.alloc(5 * 1024 * 1024);
  for (const name of ['long1', 'long2', 'long3']) uploads.push(await inFrames(rig, named(name), big));
  for (const name of ['a1', 'a2', 'a3']) uploads.push(await rig.upload(named(name)));
  uploads.push(await rig.upload(named('b1'), 'x', '44444444-4444-4444-8444-444444444444'));
  await eventually(() => runner.active() === uploads.length);
  // All of them have requested their turn once our later requests are answered too.
  for (const { source } of uploads) await rig.topics.size(source);
  open();
  for (const { streamId } of uploads) await finished(rig, streamId);
  expect(order.length).toBe(8);
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
  expect(order.indexOf('a1')).toBeLessThan(order.indexOf('long2'));
  expect(order.indexOf('a2')).toBeLessThan(order.indexOf('long3'));
});

const inFrames = async (rig: Awaited<ReturnType<typeof runnerRig>>, links: Parameters<typeof rig.upload>[0], data: Buffer) => {
  const upload = await rig.begin(links);
  for (let at = 0; at < data.length; at += 1_048_576) await upload.write(data.subarray(at, at + 1_048_576));
  await upload.end();
  return upload;
};

/** Plain 16-bit mono samples. */
const wav = (sampleRate: number, seconds: number): Buffer => {
  const header = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
  header.writeUInt32LE(16, 16);
  const fields: readonly [number, number][] = [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ];
  for (const [at, value] of fields) header.writeUInt16LE(value, at);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  return Buffer.concat([header, Buffer.alloc(sampleRate * 2 * seconds)]);
};
const LISTENS = { id: 'ears', operationType: 'BATCH_TRANSCRIPTION' } as const;

test.each([
  ['under 4,000 Hz', wav(10, 30), 'The recording has a sample rate of 10 Hz. Send at least 4000 Hz.'],
  ['longer than MEDIA_MAX_SECONDS', wav(4_000, 61), 'The recording lasts 61 seconds. Send at most 60 (MEDIA_MAX_SECONDS).'],
])('fails a recording %s before an engine reads it', async (_, recording, reason) => {
  const rig = await runnerRig();
  let heard = 0;
  rig.start({ ears: async () => ({ processedAudioLength: ++heard }) });
  const { streamId } = await rig.upload([LISTENS], recording);
  const state = await finished(rig, streamId);
  expect([state.stream.state, state.stream.stateDescription]).toEqual(['FAILED', expect.stringContaining(reason)]);
  expect(newestRuns(state)[0]?.state).toBe('ERROR');
  expect(heard).toBe(0);
});

test('hands a recording within the limits to the engine, and counts its bytes once', async () => {
  const rig = await runnerRig();
  rig.start({ ears: copy });
  const recording = wav(8_000, 2);
  const { streamId } = await rig.upload([LISTENS], recording);
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'COMPLETED', quantities: { ingressSize: recording.length } });
});

test('counts a recording of unknown length as a long run', async () => {
  const rig = await runnerRig();
  rig.start({ ears: copy }, { mediaMaxSeconds: 3_600 });
  const folder = temporaryDirectory();
  mkdirSync(folder, { recursive: true });
  const flac = join(folder, 'silence.flac');
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '300', flac]);
  const { streamId } = await rig.upload([LISTENS], readFileSync(flac));
  const state = await finished(rig, streamId);
  expect(newestRuns(state)[0]).toMatchObject({ state: 'COMPLETED', attempt: 1 });
});
