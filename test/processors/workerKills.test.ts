import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { newestRuns } from '../../src/domain/stream/attempts.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { eventually } from '../eventually.ts';
import { localSpeech, speech, speechEngineIsHere } from '../speech.ts';
import { runnerRig } from './runnerRig.ts';

/** docs/reliability.md names the long form. */
const RUNS = Number(process.env.SPEECH_KILLS ?? 2);

const local = localSpeech();
afterAll(() => local.workers.close());

describe.skipIf(!(await speechEngineIsHere()))('speech workers that are killed with SIGKILL', { timeout: 60_000 + RUNS * 30_000 }, () => {
  test(`change neither the text nor the bill, in ${RUNS} runs`, async () => {
    const transcriber = openProcessors({ clock: systemClock, localSpeech: local }).get('batch-transcriber');
    if (!transcriber) throw new Error('no transcriber');
    let attempts = 0;
    let audio = 0;
    const rig = await runnerRig();
    const kill = () => {
      for (const pid of local.workers.pids) process.kill(pid, 'SIGKILL');
    };
    let killAtMessage = false;
    rig.start({
      transcriber: (context) => {
        attempts += 1;
        const message: typeof context.output.message = async (body) => {
          if (killAtMessage) kill();
          killAtMessage = false;
          await context.output.message(body);
        };
        return transcriber.run({ ...context, output: { bytes: context.output.bytes, message } });
      },
    });
    const sentence = 'The weather is wonderful today.';
    const wav = await speech([[{ text: sentence }, { text: sentence, after: 1_500 }, { text: sentence, after: 1_500 }]]);
    const begin = () => rig.upload([{ id: 'transcriber', operationType: 'BATCH_TRANSCRIPTION', properties: { language: 'en' } }], wav);
    const result = async ({ streamId, outputOf }: Awaited<ReturnType<typeof begin>>) => {
      const state = await eventually(async () => {
        const now = await rig.state(streamId);
        return now.stream.state !== 'READY' && now;
      }, 60_000);
      const ends = (await rig.eventsOf(streamId)).filter(({ type }) => type === 'ProcessorCompleted' || type === 'ProcessorFailed');
      audio = newestRuns(state)[0]?.quantities?.processedAudioLength ?? 0;
      return { state: state.stream.state, ends: ends.map(({ type }) => type), audio, output: await rig.read(outputOf('transcriber')) };
    };
    const expected = await result(await begin());
    expect(expected).toMatchObject({ state: 'COMPLETED', ends: ['ProcessorCompleted'], audio: expect.any(Number) });
    expect(expected.output).toContain('wonderful');
    let repeated = 0;
    for (let n = 0; n < RUNS; n += 1) {
      const before = attempts;
      // Either while a new worker loads its model, or in a loaded one, between two results.
      killAtMessage = n % 2 === 1;
      if (!killAtMessage) {
        kill();
        await eventually(() => local.workers.pids.length === 0);
      }
      const upload = await begin();
      if (!killAtMessage) {
        await eventually(() => attempts > before && local.workers.pids.length > 0, 60_000);
        kill();
      }
      expect(await result(upload)).toEqual(expected);
      if (attempts > before + 1) repeated += 1;
    }
    // A late kill finds a worker that is done.
    expect(repeated).toBeGreaterThanOrEqual(RUNS / 2);
    console.info(`${RUNS} runs, ${repeated} of them repeated after a kill`);
  });
});
