import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/commands/recordRun.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import { EngineEvents } from '../../../src/processors/runner/engineEvents.ts';
import { BY, commandRig, planOf } from '../../fakes/commandRig.ts';
import { STREAM } from '../../fakes/streamStory.ts';

const RUN = { streamId: STREAM, processorId: 'echo', attempt: 1 };
const WHISPER = { engine: 'whisper', model: 'base' };

const running = async () => {
  const rig = commandRig();
  await beginUpload(rig.deps, planOf(), BY);
  await startRun(rig.deps, RUN, BY);
  const notes = new EngineEvents(rig.deps);
  const told = async () =>
    (await rig.deps.log.readStream(`stream-${STREAM}`)).flatMap(({ type, data }) => (type.startsWith('Engine') ? [{ type, data }] : []));
  return { ...rig, notes, told };
};

describe('a run', () => {
  test('names its engine when it has lasted two seconds, as far as it is known by then', async () => {
    const { notes, clock, told } = await running();
    const watch = notes.watch(RUN, BY);
    watch.chose({ ...WHISPER, model: null });
    watch.chose(WHISPER);
    await clock.advance(1_999);
    expect(await told()).toEqual([]);
    await clock.advance(1);
    expect(await told()).toMatchObject([
      { type: 'EngineChosen', data: { processorId: 'echo', engine: { name: 'whisper', model: 'base' } } },
    ]);
  });

  test('that ends before has its engine named by its outcome only', async () => {
    const { notes, clock, told } = await running();
    const watch = notes.watch(RUN, BY);
    watch.chose(WHISPER);
    watch.end();
    await clock.advance(10_000);
    expect(await told()).toEqual([]);
  });

  test('names the same engine once, however often it is tried', async () => {
    const { notes, clock, told } = await running();
    for (let n = 0; n < 3; n++) {
      const watch = notes.watch(RUN, BY);
      watch.chose(WHISPER);
      await clock.advance(2_000);
      watch.end();
    }
    expect(await told()).toHaveLength(1);
  });

  test('notes once that it waits, and that its engine works again after five seconds', async () => {
    const { notes, clock, told } = await running();
    await notes.waits(RUN, 'The engine is away.', BY);
    await notes.waits(RUN, 'The engine is away.', BY);
    const watch = notes.watch(RUN, BY);
    await clock.advance(5_000);
    watch.end();
    expect((await told()).map(({ type }) => type)).toEqual(['EngineAwaited', 'EngineReturned']);
  });
});
