import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { WorkerRun, WorkerUtterance } from '../../../src/speech/workers/messages.ts';
import type { SpeechWorkers } from '../../../src/speech/workers/workers.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { fakeWorkers, HELLO, READY } from './fakeWorker.ts';

const RUN: WorkerRun = {
  ...{ mode: 'batch', channels: 1, partials: false, speakers: false, languages: [], vocabulary: '', task: 'transcribe' },
  ...{ vad: true, noSpeechThreshold: 0.5, utteranceEnd: 0 },
};

async function* samples(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(320);
}

const transcribe = async (
  workers: SpeechWorkers,
  { signal = new AbortController().signal, audio = samples(), waiting = (): boolean => false } = {},
) => {
  onTestFinished(() => workers.close());
  const heard: WorkerUtterance[] = [];
  const engines: string[] = [];
  const task = { engine: { engine: 'moonshine' }, run: RUN, audio: { samples: audio, waiting }, low: false, signal } as const;
  for await (const utterance of workers.run({ ...task, onEngine: (engine) => engines.push(engine) })) heard.push(utterance);
  return { engines, text: heard.flatMap(({ words }) => words.map(({ text }) => text)).join('') };
};

describe('speech workers', () => {
  test('serve one run after another with one process', async () => {
    const { workers } = fakeWorkers(() => `${READY}\n${HELLO}`);
    expect(await transcribe(workers)).toEqual({ engines: ['fake 1'], text: 'hello' });
    const [pid] = workers.pids;
    expect(await transcribe(workers)).toEqual({ engines: ['fake 1'], text: 'hello' });
    expect(workers.pids).toEqual([pid]);
  });

  test('start another process if the idle one was killed', async () => {
    const { workers } = fakeWorkers(() => `${READY}\n${HELLO}`);
    await transcribe(workers);
    const [pid = 0] = workers.pids;
    process.kill(pid, 'SIGKILL');
    await eventually(() => workers.pids.length === 0);
    expect((await transcribe(workers)).text).toBe('hello');
    expect(workers.pids).not.toContain(pid);
  });

  test('end after their idle time', async () => {
    const clock = new ManualClock();
    const { workers } = fakeWorkers(() => `${READY}\n${HELLO}`, { clock, idleMilliseconds: 5_000 });
    await transcribe(workers);
    expect(workers.pids).toHaveLength(1);
    await clock.advance(5_000);
    expect(workers.pids).toEqual([]);
  });

  test.each([
    ['does not start', 'exit 3', 'The speech engine did not start.'],
    ['dies during a run', `${READY}\nread -r line\nkill -KILL $$`, 'The speech engine died.'],
    ['prints text', `${READY}\necho 'Segmentation imminent'\n${HELLO}`, 'The speech engine printed something that is not a transcription.'],
    [
      'prints a line without end',
      `${READY}\nhead -c 3000000 /dev/zero | tr '\\0' x\n${HELLO}`,
      'The speech engine printed something that is not a transcription.',
    ],
    [
      'prints an invalid time of a channel',
      `${READY}\necho '{"type":"progress","milliseconds":1000,"settled":[null,500]}'\n${HELLO}`,
      'The speech engine printed something that is not a transcription.',
    ],
    [
      'prints a word without times',
      `${READY}\necho '{"type":"final","channel":0,"words":[{"text":"hello"}]}'\n${HELLO}`,
      'The speech engine printed something that is not a transcription.',
    ],
  ])('are stopped and killed if one %s', async (_, body, message) => {
    const { workers } = fakeWorkers(() => body);
    await expect(transcribe(workers)).rejects.toMatchObject({ name: 'WorkerLost', message });
    expect(workers.pids).toEqual([]);
  });

  test('are stopped if one hangs', async () => {
    const { workers } = fakeWorkers(() => `${READY}\nsleep 600`, { stallMilliseconds: 200 });
    await expect(transcribe(workers)).rejects.toMatchObject({ message: 'The speech engine made no progress and was stopped.' });
  });

  test('are not stopped while they wait for audio', async () => {
    const { workers } = fakeWorkers(() => `${READY}\n${HELLO}`, { stallMilliseconds: 200 });
    let waiting = true;
    async function* slow(): AsyncGenerator<Buffer> {
      await systemClock.pause(1_000);
      waiting = false;
      yield Buffer.alloc(320);
    }
    expect((await transcribe(workers, { audio: slow(), waiting: () => waiting })).text).toBe('hello');
  });

  test('are stopped if one takes too much memory', async () => {
    const { workers } = fakeWorkers(() => `${READY}\nsleep 600`, { maxBytes: 1 });
    await expect(transcribe(workers)).rejects.toMatchObject({ message: expect.stringContaining('MiB of memory and was stopped.') });
  });

  test('report a refusal, which another worker would repeat', async () => {
    const { workers } = fakeWorkers(() => `${READY}\necho '{"type":"failed","reason":"no such language"}'\nsleep 600`);
    await expect(transcribe(workers)).rejects.toMatchObject({ name: 'WorkerRefused', message: 'no such language' });
  });

  test('stop with the signal, including their children', async () => {
    const { workers, directory } = fakeWorkers((folder) => `${READY}\nsleep 600 &\necho $! > "${folder}/child"\nwait`);
    const abort = new AbortController();
    const outcome = expect(transcribe(workers, { signal: abort.signal })).rejects.toThrow('not wanted');
    const child = () => Number(readFileSync(join(directory, 'child'), 'utf8'));
    await eventually(() => {
      try {
        return child() > 0;
      } catch {
        return false;
      }
    });
    abort.abort(new Error('not wanted'));
    await outcome;
    await eventually(() => {
      try {
        // A zombie is dead: in a container there may be no parent that collects it.
        return /^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${child()}/stat`, 'utf8'));
      } catch {
        return true;
      }
    });
  });

  test("do not see the server's settings", async () => {
    process.env.MASTER_KEY = 'a secret';
    onTestFinished(() => {
      delete process.env.MASTER_KEY;
    });
    const { workers, directory } = fakeWorkers((folder) => `env > "${folder}/env"\n${READY}\n${HELLO}`);
    await transcribe(workers);
    expect(readFileSync(join(directory, 'env'), 'utf8')).not.toContain('secret');
  });
});
