import { describe, expect, test } from 'vitest';
import { cancelStream } from '../../../src/commands/changeOwnStream.ts';
import { completeRun, failRun, startRun } from '../../../src/commands/recordRun.ts';
import { beginUpload, completeUpload } from '../../../src/commands/upload.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { BY, commandRig, planOf, typesOf } from '../../fakes/commandRig.ts';
import { completed, failed, OWNER, STREAM } from '../../fakes/streamStory.ts';

const start = (attempt = 1) => ({ streamId: STREAM, processorId: 'echo', attempt });
const done = (attempt = 1) => ({ streamId: STREAM, ...completed('echo', attempt).data });
const wrong = (attempt = 1) => ({ streamId: STREAM, ...failed('echo', attempt).data });

const running = async () => {
  const rig = commandRig();
  await beginUpload(rig.deps, planOf(), BY);
  await completeUpload(rig.deps, { streamId: STREAM, bytes: 5, frames: 1, sha256: 'ab'.repeat(32) }, BY);
  await startRun(rig.deps, start(), BY);
  return rig;
};

describe('a run', () => {
  test('is recorded in one append with the end of its stream', async () => {
    const { deps, store } = await running();
    const before = store.events.length;
    let appends = 0;
    store.beforeAppend = () => void appends++;
    const recorded = await completeRun(deps, done(), BY);
    expect(recorded).toMatchObject({
      outcome: 'recorded',
      state: { stream: { state: 'COMPLETED' } },
      position: store.events.at(-1)?.position,
    });
    expect([appends, store.events.slice(before).map(({ type }) => type)]).toEqual([1, ['ProcessorCompleted', 'StreamCompleted']]);
  });

  test('is recorded once', async () => {
    const { deps, store } = await running();
    await completeRun(deps, done(), BY);
    const before = store.events.length;
    expect(await completeRun(deps, done(), BY)).toMatchObject({ outcome: 'recorded', position: null });
    expect(store.events.length).toBe(before);
  });

  test('fails its stream with its reason if it failed', async () => {
    const { deps } = await running();
    expect(await failRun(deps, wrong(), BY)).toMatchObject({ state: { stream: { state: 'FAILED', stateDescription: 'no speech' } } });
  });

  test('is stale if it is of an older attempt, and counts once', async () => {
    const { deps, store } = await running();
    await startRun(deps, start(2), BY);
    expect(await completeRun(deps, done(1), BY)).toMatchObject({ outcome: 'stale', state: { stream: { state: 'READY' } } });
    await completeRun(deps, done(2), BY);
    expect(typesOf(store, `stream-${STREAM}`).filter((type) => type === 'ProcessorCompleted')).toHaveLength(1);
  });

  test('is stale if its stream is canceled', async () => {
    const { deps } = await running();
    await cancelStream(deps, { streamId: STREAM, caller: { subject: OWNER, actor: 'x', roles: ['user'] } }, BY);
    expect(await completeRun(deps, done(), BY)).toMatchObject({ outcome: 'stale' });
    expect(await startRun(deps, start(2), BY)).toMatchObject({ outcome: 'stale' });
  });

  test('is stale if its stream is unknown', async () => {
    const { deps } = commandRig();
    expect(await startRun(deps, start(), BY)).toEqual({ outcome: 'stale', state: null });
  });

  test('is retried until it is stored', async () => {
    const { deps, store, clock } = await running();
    let away = true;
    store.beforeAppend = () => {
      if (away) throw new StoreUnavailable('away');
      return undefined;
    };
    const recording = completeRun(deps, done(), BY);
    await clock.advance(60_000);
    expect(clock.sleeping).toBe(1);
    away = false;
    await clock.advance(5_000);
    expect(await recording).toMatchObject({ outcome: 'recorded', state: { stream: { state: 'COMPLETED' } } });
  });

  test('stops retrying when its signal aborts', async () => {
    const { deps, store, clock } = await running();
    store.beforeAppend = () => {
      throw new StoreUnavailable('away');
    };
    const stop = new AbortController();
    const recording = completeRun(deps, { ...done(), signal: stop.signal }, BY);
    const rejected = expect(recording).rejects.toThrow('draining');
    await clock.advance(1_000);
    stop.abort(new Error('draining'));
    await rejected;
  });
});
