import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openProcessors } from '../../../src/processors/registry.ts';
import { oneRun } from '../../processors/oneRun.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { fakeEngine, LISTEN } from './engineCommands.ts';

const STALL_MILLISECONDS = 200;
/** Writes what it is sent into its output, as the decoder does, and tells of a tenth of a second. */
const PASS_ON = 'for last; do :; done\ncat > "$last"\necho out_time_us=100000';

const live = (pocketsphinx: string, ffmpeg = PASS_ON) => {
  const engineCommands = fakeEngine(temporaryDirectory(), { pocketsphinx, ffmpeg });
  const settings = { clock: systemClock, transcriberGrammar: null, engineCommands, engineStallMilliseconds: STALL_MILLISECONDS };
  const processor = openProcessors(settings).get('realtime-transcriber');
  if (!processor) throw new Error('no live transcriber');
  return processor;
};

async function* spoken(...after: number[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from('samples');
  for (const pause of after) {
    await systemClock.pause(pause);
    yield Buffer.from('more samples');
  }
}

test('a speaker who is silent for longer than an engine may hang is waited for', async () => {
  const { messages } = await oneRun(live(`${LISTEN}\necho hello; echo "hello 0.1 0.5 0.9"`), { bytes: spoken(STALL_MILLISECONDS * 4) });
  expect(messages).toMatchObject([{ payload: { transcription: 'hello' } }]);
});

test('an engine that hangs once all has been said is stopped', async () => {
  await expect(oneRun(live('sleep 600', 'cat > /dev/null; sleep 600'), { bytes: spoken() })).rejects.toMatchObject({
    message: 'The speech engine made no progress and was stopped.',
  });
});

test('an engine that crashes fails the run at once, though the speaker has not ended', async () => {
  const began = performance.now();
  const line = spoken(30_000);
  await expect(oneRun(live('sleep 0.1; exit 3'), { bytes: line })).rejects.toMatchObject({
    message: 'The speech engine failed (exit code 3).',
  });
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('an utterance is given when its words are there, not when the next one begins', async () => {
  const heard: number[] = [];
  const engine = `echo hello; echo "<s> 0.0 0.1 1.0"; echo "hello 0.1 0.5 0.9"; echo "</s> 0.5 0.6 1.0"\n${LISTEN}`;
  const began = performance.now();
  await oneRun(live(engine), { bytes: spoken(2_000), onMessage: () => heard.push(performance.now() - began) });
  expect(heard).toHaveLength(1);
  expect(heard[0]).toBeLessThan(1_800);
});
