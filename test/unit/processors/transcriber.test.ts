import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { openProcessors } from '../../../src/processors/registry.ts';
import { eventually } from '../../eventually.ts';
import { oneRun } from '../../processors/oneRun.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { type FakeEngine, fakeEngine, LISTEN } from './engineCommands.ts';

const AUDIO = [Buffer.from('stands for audio')];

const transcriber = (engine: FakeEngine, directory = temporaryDirectory(), stall = 60_000) => {
  const commands = fakeEngine(directory, engine);
  const settings = { clock: systemClock, transcriberGrammar: null, engineCommands: commands, engineStallMilliseconds: stall };
  const processor = openProcessors(settings).get('batch-transcriber');
  if (!processor) throw new Error('no transcriber');
  return processor;
};

const failure = (engine: FakeEngine, stall?: number) => oneRun(transcriber(engine, temporaryDirectory(), stall), { bytes: AUDIO });

/** A zombie is dead: in a container nobody may be there to reap it. */
const alive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const pidIn = (path: string): number => Number(readFileSync(path, 'utf8'));

describe('the transcriber and an engine that misbehaves', () => {
  test('an engine that crashes is an ERROR that names the signal', async () => {
    await expect(failure({ pocketsphinx: `${LISTEN}\nkill -SEGV $$` })).rejects.toMatchObject({
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      message: 'The speech engine crashed (SIGSEGV).',
      retryable: false,
    });
  });

  test('one that was killed from outside is worth another attempt', async () => {
    await expect(failure({ pocketsphinx: 'kill -KILL $$' })).rejects.toMatchObject({ retryable: true });
  });

  test('one that fails at once is blamed itself, not the audio, and tells no paths', async () => {
    await expect(failure({ pocketsphinx: 'echo "cannot open /usr/share/secret" >&2; exit 3' })).rejects.toMatchObject({
      message: 'The speech engine failed (exit code 3).',
    });
  });

  test.each([
    ['text without words', 'echo "Segmentation imminent"'],
    ['a word outside of an utterance', 'echo "hello 0.1 0.2 0.9"'],
    ['a word that ends before it begins', 'echo hello; echo "hello 0.9 0.2 0.9"'],
    ['a line without end', 'head -c 3000000 /dev/zero | tr "\\0" x'],
    ['binary rubbish', 'head -c 3000 /dev/urandom'],
  ])('%s is an ERROR', async (_, rubbish) => {
    await expect(failure({ pocketsphinx: `${LISTEN}\n${rubbish}` })).rejects.toMatchObject({
      message: 'The speech engine printed what is no transcription.',
    });
  });

  test('one that hangs is stopped when it makes no progress for its time and the length of the audio', async () => {
    const hung = failure({ pocketsphinx: 'sleep 600', ffmpeg: 'echo out_time_us=100000\nsleep 600' }, 200);
    await expect(hung).rejects.toMatchObject({ message: 'The speech engine made no progress and was stopped.' });
  });

  test('one whose listener was paused is not blamed for it', async () => {
    let pause = 0;
    // The pause is over at the end of the second look.
    let looks = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + pause,
      pause: async (milliseconds, signal) => {
        const outcome = await systemClock.pause(milliseconds, signal);
        if (outcome === 'elapsed') looks += 1;
        if (looks === 2) pause = 600_000;
        return outcome;
      },
    };
    const engine = { pocketsphinx: `${LISTEN}\nsleep 1` };
    const settings = {
      clock,
      transcriberGrammar: null,
      engineCommands: fakeEngine(temporaryDirectory(), engine),
      engineStallMilliseconds: 1_000,
    };
    const processor = openProcessors(settings).get('batch-transcriber');
    if (!processor) throw new Error('no transcriber');
    expect((await oneRun(processor, { bytes: AUDIO })).messages).toEqual([]);
    expect(looks).toBeGreaterThan(2);
  });

  test('a decoder that fails says that the data are no audio, and the engine that waits for it goes', async () => {
    const directory = temporaryDirectory();
    const engine = { pocketsphinx: `echo $$ > "${directory}/pid"\n${LISTEN}`, ffmpeg: 'sleep 0.3; exit 1' };
    const run = oneRun(transcriber(engine, directory), { bytes: AUDIO });
    await expect(run).rejects.toMatchObject({ errorName: 'PROCESSOR_TRANSCODING_ERROR' });
    expect(alive(pidIn(join(directory, 'pid')))).toBe(false);
  });

  test('an abort kills the engine with all its children within a second', async () => {
    const directory = temporaryDirectory();
    const engine = { pocketsphinx: `sleep 600 &\necho $! > "${directory}/child"\necho $$ > "${directory}/pid"\nwait` };
    const abort = new AbortController();
    const run = oneRun(transcriber(engine, directory), { bytes: AUDIO, signal: abort.signal });
    const outcome = expect(run).rejects.toThrow('not wanted any more');
    await eventually(() => statSync(join(directory, 'pid')).size > 0);
    const asked = performance.now();
    abort.abort(new Error('not wanted any more'));
    await outcome;
    const pids = ['pid', 'child'].map((name) => pidIn(join(directory, name)));
    await eventually(() => !pids.some(alive), 1_000);
    expect(performance.now() - asked).toBeLessThan(1_000);
  });

  test('an engine sees none of the settings of the server', async () => {
    const directory = temporaryDirectory();
    process.env.MASTER_KEY = 'a secret';
    await oneRun(transcriber({ pocketsphinx: `env > "${directory}/env"\n${LISTEN}` }, directory), { bytes: AUDIO });
    delete process.env.MASTER_KEY;
    expect(readFileSync(join(directory, 'env'), 'utf8')).not.toContain('secret');
  });
});

describe('what PocketSphinx prints', () => {
  const heard = async (lines: string[], properties = {}) => {
    const print = lines.map((line) => `echo '${line}'`).join('\n');
    return (await oneRun(transcriber({ pocketsphinx: `${LISTEN}\n${print}` }), { bytes: AUDIO, properties })).messages;
  };

  test('becomes words: fillers dropped, pronunciations stripped, probabilities clamped, times in milliseconds', async () => {
    const lines = ['was it', '<s> 0.000 0.140 1.000200', 'was(2) 0.150 0.310 1.000100', '[NOISE] 0.320 0.330 0.4', 'it 0.340 0.5 0.25'];
    const metadata = {};
    expect(await heard([...lines, '++NSN++ 0.6 0.7 0.1', '</s> 0.8 0.9 1.0'])).toMatchObject([
      {
        payload: {
          transcription: 'was it',
          start: 150,
          end: 500,
          words: [
            { word: 'was', start: 150, end: 310, confidence: 1, language: 'en', metadata },
            { word: ' it', start: 340, end: 500, confidence: 0.25, language: 'en', metadata },
          ],
        },
      },
    ]);
  });

  test('is silence when there is nothing but fillers', async () => {
    expect(await heard(['', '<s> 0.0 0.6 1.0', '</s> 0.62 0.65 1.0'])).toEqual([]);
  });

  test('counts as noise when no word is surer than one minus noSpeechThreshold', async () => {
    const noise = ['ah', 'ah 0.11 0.97 0.138'];
    expect(await heard(noise)).toEqual([]);
    expect(await heard(noise, { noSpeechThreshold: 0.9 })).toMatchObject([{ payload: { transcription: 'ah' } }]);
  });

  test('is cut into several messages when an utterance is too long for one', async () => {
    const words = [Array(2_500).fill('w').join(' '), ...Array.from({ length: 2_500 }, (_, n) => `w ${n}.0 ${n}.5 1.0`)];
    const { messages } = await oneRun(transcriber({ pocketsphinx: `${LISTEN}\ncat <<'END'\n${words.join('\n')}\nEND` }), { bytes: AUDIO });
    expect(messages.length).toBe(3);
  });

  test('may be the JSON lines of the newer command', async () => {
    const directory = temporaryDirectory();
    const line = '{"b":0.1,"d":0.9,"p":1.0,"t":"go on","w":[{"b":0.1,"d":0.2,"p":0.9,"t":"go"},{"b":0.3,"d":0.7,"p":1.0,"t":"on(2)"}]}';
    const commands = fakeEngine(directory, { pocketsphinx: `for last; do :; done; cat "$last" > /dev/null; echo '${line}'` });
    const newer = { ...commands, pocketsphinx: [join(directory, 'pocketsphinx')] };
    renameSync(join(directory, 'pocketsphinx_continuous'), join(directory, 'pocketsphinx'));
    const settings = { clock: systemClock, transcriberGrammar: null, engineCommands: newer };
    const processor = openProcessors(settings).get('batch-transcriber');
    if (!processor) throw new Error('no transcriber');
    const { messages } = await oneRun(processor, { bytes: AUDIO });
    expect(messages).toMatchObject([{ payload: { transcription: 'go on', start: 100, end: 1000 } }]);
  });
});

test('without an engine the upload is refused with what to install', async () => {
  const commands = { pocketsphinx: ['/nowhere/pocketsphinx'], ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' };
  const processors = openProcessors({ clock: systemClock, transcriberGrammar: null, engineCommands: commands });
  expect(await processors.get('batch-transcriber')?.unavailable({})).toContain('apt-get install pocketsphinx');
  expect(await processors.get('realtime-transcriber')?.unavailable({})).toContain('apt-get install pocketsphinx');
  for (const id of ['romanian-transcriber', 'speaker-diarization']) {
    expect(await processors.get(id)?.unavailable({})).toContain('TRANSCRIBER_URL');
  }
});
