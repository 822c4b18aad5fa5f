import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Behaviour, chatAnswer, heardWords, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { wavOf } from '../wav.ts';
import { call } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';
import { PROGRAM } from './tributary.ts';

/** A recording that the stub of the engine hears as `Recording <n>.`. */
const recording = (n: number): Buffer => {
  const data = Buffer.alloc(8_000, 1);
  data[0] = n;
  return wavOf(data);
};

/** The engine refuses this one. */
const BROKEN = 99;

const hearing = (bytes: Buffer): Behaviour => {
  if (bytes[44] === BROKEN) return { status: 400, body: { error: { message: 'This is no speech.' } } };
  const text = `Recording ${bytes[44]}.`;
  const words = heardWords(['Recording', 0, 0.1], [String(bytes[44]), 0.1, 0.2]);
  return { body: { language: 'english', duration: 0.25, text, segments: [{ start: 0, end: 0.2, text }], words } };
};

let speech: StubEngine;
let chat: StubEngine;
let server: RunningServer;
const engines = () => ({ TRANSCRIBER_URL: speech.url, LLM_URL: `${chat.url}/v1`, LLM_MODEL: 'small', ENGINE_RETRY_S: '20' });

beforeAll(async () => {
  [speech, chat] = await Promise.all([startStubEngine(), startStubEngine()]);
  server = await startServer({ environment: { ...engines(), WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
});
afterAll(async () => {
  await server.kill();
  await Promise.all([speech.close(), chat.close()]);
});
beforeEach(() => {
  speech.reset();
  speech.always(({ file }) => hearing(file?.bytes ?? Buffer.alloc(0)));
  chat.always(chatAnswer('It is about recordings.'));
});

interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  log(): string;
}

/** The built command on a data directory. */
const start = (words: readonly string[], environment: Readonly<Record<string, string>>, input: Buffer | null = null): Started => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  const child = spawn(process.execPath, [PROGRAM, 'transcribe', ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(input ?? undefined);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = Promise.all([once(child, 'close'), textIn(child.stdout)]).then(([[code], stdout]) => ({ code, stdout, stderr: log }));
  return { process: child, ended, log: () => log };
};

/** Beside the server of this file: by its control socket, or in the cluster form by its address. */
const beside = (running: RunningServer): Readonly<Record<string, string>> =>
  isClusterForm ? { TRIBUTARY_URL: running.url, TRIBUTARY_API_KEY: ADMIN_KEY } : { DATA_DIR: running.dataDir };

const transcribe = (words: readonly string[], input: Buffer | null = null) => start(words, beside(server), input).ended;

/** A folder with recordings, by path. */
const folderWith = (recordings: Readonly<Record<string, number>>): string => {
  const folder = temporaryDirectory();
  for (const [path, n] of Object.entries(recordings)) put(folder, path, n);
  return folder;
};

const put = (folder: string, path: string, n: number): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), recording(n));
};

/** The texts in a folder and below, by path. */
const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.txt'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

/** How often the engine was asked to hear each recording. A repeated request of one run has the same key. */
const heard = (): Record<string, number> => {
  const keys = new Map<number, Set<unknown>>();
  for (const { file, headers } of speech.calls) {
    const n = file?.bytes[44] ?? 0;
    keys.set(n, (keys.get(n) ?? new Set()).add(headers['idempotency-key']));
  }
  return Object.fromEntries([...keys].sort(([a], [b]) => a - b).map(([n, { size }]) => [n, size]));
};

describe('tributary transcribe', () => {
  test('leaves a text beside each recording of a folder, and deletes the streams', async () => {
    const folder = folderWith({ 'talk.wav': 1, 'sub/talk.wav': 2, 'sub/talk.mp3': 3 });
    writeFileSync(join(folder, 'notes.md'), 'no recording');
    const { code, stderr, stdout } = await transcribe([folder]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(textsIn(folder)).toEqual({
      'sub/talk.txt': 'Recording 3.\n',
      'sub/talk.wav.txt': 'Recording 2.\n',
      'talk.txt': 'Recording 1.\n',
    });
    expect(stderr).toContain('3 done, 0 skipped, 0 failed');
    const { body } = await call(server.url, '/stream-service/api/v1/streams?size=3');
    expect(body.content.map(({ state }: { state: string }) => state)).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED']);
  });

  test('keeps the sub-folders under --output', async () => {
    const folder = folderWith({ 'in/talk.wav': 4, 'in/sub/talk.wav': 5 });
    await transcribe([join(folder, 'in'), '--output', join(folder, 'out')]);
    expect(textsIn(join(folder, 'out'))).toEqual({ 'sub/talk.txt': 'Recording 5.\n', 'talk.txt': 'Recording 4.\n' });
  });

  test('skips what is done with the same settings, and takes the rest', async () => {
    const folder = folderWith({ 'a.wav': 6, 'c.wav': 8 });
    await transcribe([folder]);
    put(folder, 'b.wav', 9);
    rmSync(join(folder, 'c.txt'));
    speech.reset();
    const { stderr } = await transcribe([folder]);
    expect(stderr).toContain('2 done, 1 skipped, 0 failed');
    expect(heard()).toEqual({ 8: 1, 9: 1 });
    expect((await transcribe([folder, '--force'])).stderr).toContain('3 done');
  });

  test('keeps a text of that name, and replaces it only with --force', async () => {
    const folder = folderWith({ 'talk.wav': 60, 'other.wav': 61 });
    writeFileSync(join(folder, 'talk.txt'), 'mine');
    expect((await transcribe([folder])).stderr).toContain('2 done, 0 skipped, 0 failed');
    expect(textsIn(folder)).toEqual({ 'other.txt': 'Recording 61.\n', 'talk.txt': 'Recording 60.\n' });
    expect(readFileSync(join(folder, 'talk.txt~'), 'utf8')).toBe('mine');
    // Other content, and equal content with other settings.
    put(folder, 'other.wav', 62);
    expect((await transcribe([folder])).stderr).toContain('1 done, 1 skipped, 0 failed');
    expect(readFileSync(join(folder, 'other.txt~'), 'utf8')).toBe('Recording 61.\n');
    expect((await transcribe([folder, '--language', 'en'])).stderr).toContain('2 done, 0 skipped, 0 failed');
    expect(readdirSync(folder).filter((name) => name.endsWith('~2'))).toEqual([]);
    writeFileSync(join(folder, 'other.txt'), 'corrected by hand');
    expect((await transcribe([folder, '--force'])).stderr).toContain('2 done');
    expect(textsIn(folder)).toEqual({ 'other.txt': 'Recording 62.\n', 'talk.txt': 'Recording 60.\n' });
    // What is there was written from this stream: only the subtitles are missing.
    writeFileSync(join(folder, 'talk.txt'), 'corrected by hand');
    expect((await transcribe([folder, '--format', 'txt,srt'])).stderr).toContain('2 done');
    expect(textsIn(folder)['talk.txt']).toBe('corrected by hand');
    expect(readFileSync(join(folder, 'talk.srt'), 'utf8')).toContain('-->');
  });

  test('does not take a text for that of equal content elsewhere', async () => {
    await transcribe([folderWith({ 'elsewhere.wav': 63 })]);
    const folder = folderWith({ 'talk.wav': 63 });
    writeFileSync(join(folder, 'talk.txt'), 'not of this recording');
    expect((await transcribe([folder])).stderr).toContain('talk.wav: done');
    expect(textsIn(folder)).toEqual({ 'talk.txt': 'Recording 63.\n' });
    expect(readFileSync(join(folder, 'talk.txt~'), 'utf8')).toBe('not of this recording');
  });

  test('writes every format, with the summary on top of texts', async () => {
    const folder = folderWith({ 'talk.wav': 10 });
    const { code } = await transcribe([join(folder, 'talk.wav'), '--format', 'txt,srt,vtt,json,md,docx,csv', '--summary']);
    expect(code).toBe(0);
    const read = (ending: string) => readFileSync(join(folder, `talk.${ending}`), 'utf8');
    expect(read('txt')).toBe('Summary\n\nIt is about recordings.\n\nTranscript\n\nRecording 10.\n');
    expect(read('md')).toContain('## Summary\n\nIt is about recordings.\n\n## Transcript\n\n');
    expect(JSON.parse(read('json'))).toMatchObject({
      transcription: { text: 'Recording 10.' },
      summary: { content: 'It is about recordings.' },
    });
    expect(read('srt')).toContain('00:00:00,000 --> ');
    expect(read('vtt')).toContain('WEBVTT');
    expect(read('csv')).toContain('Recording 10.');
    expect(readFileSync(join(folder, 'talk.docx')).subarray(0, 2).toString()).toBe('PK');
  });

  test('prints the text of standard input, and nothing else', async () => {
    const { code, stdout } = await transcribe(['-'], recording(11));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Recording 11.\n' });
  });

  test('prints texts with --stdout in the order of their recordings', async () => {
    const folder = folderWith({ 'a.wav': 12, 'b.wav': 13, 'c.wav': 14 });
    const slow = async ({ file }: { file: { bytes: Buffer } | null }) => {
      const bytes = file?.bytes ?? Buffer.alloc(0);
      if (bytes[44] === 12) await eventually(() => speech.calls.length > 1);
      return hearing(bytes);
    };
    speech.always(slow);
    const { stdout } = await transcribe([folder, '--stdout']);
    expect(stdout).toBe('Recording 12.\nRecording 13.\nRecording 14.\n');
    expect(textsIn(folder)).toEqual({});
  });

  test('fetches a link, and names the text after it', async () => {
    const web = createServer((request, response) => {
      response.statusCode = request.url === '/missing.wav' ? 404 : 200;
      response.end(recording(15));
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void web.close());
    const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const folder = temporaryDirectory();
    const { code, stderr } = await transcribe([`${address}/a/talk.wav?token=1`, `${address}/missing.wav`, '--output', folder]);
    expect(textsIn(folder)).toEqual({ 'talk.txt': 'Recording 15.\n' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/missing\.wav: failed\. .*404/);
  });

  test('keeps streams with their labels and properties', async () => {
    const folder = folderWith({ 'talk.wav': 16 });
    const words = ['--keep=P30D', '--label', 'sales', '--label', 'q4', '--set', 'ask0=Who calls?', '--json'];
    const { stdout } = await transcribe([join(folder, 'talk.wav'), ...words]);
    const { streamId, ...line } = JSON.parse(stdout);
    expect(line).toEqual({ file: join(folder, 'talk.wav'), status: 'done', outputs: [join(folder, 'talk.txt')], error: null });
    const { body } = await call(server.url, `/stream-service/api/v1/streams/${streamId}`);
    expect(body).toMatchObject({ state: 'COMPLETED', name: 'talk', labels: ['sales', 'q4'] });
    const { body: result } = await call(server.url, `/export-service/api/v1/export/JSON?streams=${streamId}`);
    expect(result.askAnything['0'].content).toBe('It is about recordings.');
    const again = await transcribe([join(folder, 'talk.wav'), ...words]);
    expect(JSON.parse(again.stdout)).toEqual({ ...line, status: 'skipped', streamId });
  });

  test('names each failure with its reason: exit code 1', async () => {
    const folder = folderWith({ 'a.wav': 17, 'broken.wav': BROKEN });
    const { code, stdout, stderr } = await transcribe([folder, '--json']);
    expect(code).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ status: 'failed', outputs: [], error: expect.stringMatching(/\S/) }));
    expect(stderr).toMatch(/broken\.wav: failed\. \S+/);
    expect(textsIn(folder)).toEqual({ 'a.txt': 'Recording 17.\n' });
  });

  test.each([
    [['/nonexistent/talk.mp3'], 'does not exist'],
    [['RECORDING', '--template', 'nonexistent'], 'template'],
    [['RECORDING', '--keep=tomorrow'], 'keepFor'],
    [['RECORDING', '--format', 'pdf'], 'Choose from'],
  ])('refuses %j before anything is sent: exit code 2', async (words, reason) => {
    const folder = folderWith({ 'talk.wav': 18 });
    const { code, stderr } = await transcribe(words.map((word) => (word === 'RECORDING' ? join(folder, 'talk.wav') : word)));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
    expect(speech.calls).toEqual([]);
  });

  test('refuses settings that are too long for a request, before anything is sent', async () => {
    const { code, stderr } = await transcribe([folderWith({ 'talk.wav': 18 }), '--set', `ask0=${'x'.repeat(100_000)}`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('headers') });
    expect(speech.calls).toEqual([]);
  });

  test('says once what is wrong', async () => {
    const { code, stderr } = await transcribe([folderWith({ 'talk.wav': 51 }), '--set', 'summary=maybe']);
    expect([code, stderr]).toEqual([2, 'llm: /summary/enabled must be boolean\n']);
  });

  test('cancels what runs at Ctrl-C: exit code 130', async () => {
    const folder = folderWith({ 'talk.wav': 19 });
    await transcribe([folder]);
    speech.reset();
    speech.always('hang');
    const running = start([folder, '--language', 'en'], beside(server));
    await eventually(() => speech.calls.length > 0);
    running.process.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await eventually(() => speech.open() === 0);
    const { body } = await call(server.url, '/stream-service/api/v1/streams?size=1');
    expect(body.content[0].state).toBe('EXPIRED');
    // The text that is there was made with other settings.
    speech.always(({ file }) => hearing(file?.bytes ?? Buffer.alloc(0)));
    expect((await transcribe([folder, '--language', 'en'])).stderr).toContain('talk.wav: done');
  });

  test('uses the server that is named, with its key', async () => {
    const folder = folderWith({ 'talk.wav': 20 });
    const { code } = await start([folder, '--server', server.url], { TRIBUTARY_API_KEY: ADMIN_KEY }).ended;
    expect([code, textsIn(folder)]).toEqual([0, { 'talk.txt': 'Recording 20.\n' }]);
    const wrong = await start([folder, '--server', server.url], { TRIBUTARY_API_KEY: 'wrong' }).ended;
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('does not accept this API key') });
  });
});

describe.skipIf(isClusterForm)('without a server', () => {
  test('transcribes in its own process, leaves nothing running, and knows next time what is done', async () => {
    const folder = folderWith({ 'a.wav': 21, 'b.wav': 22 });
    const environment = { DATA_DIR: join(folder, 'data'), ...engines() };
    const first = await start([folder], environment).ended;
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('2 done') });
    expect(textsIn(folder)).toEqual({ 'a.txt': 'Recording 21.\n', 'b.txt': 'Recording 22.\n' });
    expect((await start([folder], environment).ended).stderr).toContain('2 skipped');
    expect(heard()).toEqual({ 21: 1, 22: 1 });
    // The data directory is free, and its first server still shows the credentials of the administrator.
    const later = await startServer({
      dataDir: environment.DATA_DIR,
      environment: { BOOTSTRAP_API_KEY: '', BOOTSTRAP_CLIENT_ID: '', BOOTSTRAP_CLIENT_SECRET: '' },
    });
    expect(later.log()).toContain('An administrator was created');
  });

  test('takes over when the command in whose process it transcribes has ended', async () => {
    const folder = folderWith({ 'first/a.wav': 24, 'second/b.wav': 25, 'second/c.wav': 26 });
    const environment = { DATA_DIR: join(folder, 'data'), ...engines() };
    let isFree = false;
    speech.always(async ({ file }) => {
      const bytes = file?.bytes ?? Buffer.alloc(0);
      await eventually(() => isFree || (bytes[44] === 24 && heard()[25] === 1));
      return hearing(bytes);
    });
    const first = start([join(folder, 'first')], environment);
    await eventually(() => heard()[24] === 1);
    const second = start([join(folder, 'second'), '--jobs', '1'], environment);
    expect((await first.ended).code).toBe(0);
    isFree = true;
    expect(await second.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('2 done') });
    expect(textsIn(join(folder, 'second'))).toEqual({ 'b.txt': 'Recording 25.\n', 'c.txt': 'Recording 26.\n' });
  });

  test('stops the platform at Ctrl-C', async () => {
    const folder = folderWith({ 'a.wav': 23 });
    const environment = { DATA_DIR: join(folder, 'data'), ...engines() };
    speech.always('hang');
    const running = start([folder], environment);
    await eventually(() => speech.calls.length > 0);
    running.process.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(existsSync(join(folder, 'data/control.sock'))).toBe(false);
  });
});

describe.skipIf(isClusterForm)('--watch', () => {
  /** A watch that moves what it has done and what failed. */
  const watch = (folder: string, dataDir: string): Started =>
    start([join(folder, 'in'), '--watch', '--done', join(folder, 'done'), '--failed', join(folder, 'failed')], { DATA_DIR: dataDir });

  const filesIn = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((path) => /\.(wav|mp3)$/.test(path))
          .sort()
      : [];

  test('takes what is there and what appears, and moves it when its text is written', async () => {
    const folder = folderWith({ 'in/a.wav': 31 });
    const watching = watch(folder, server.dataDir);
    await eventually(() => filesIn(join(folder, 'done')).length === 1);
    put(folder, 'in/sub/b.wav', 32);
    // Another recording of the same name writes over nothing.
    put(folder, 'in/a.wav', 33);
    await eventually(() => filesIn(join(folder, 'done')).length === 3);
    expect(filesIn(join(folder, 'done'))).toEqual(['a.2.wav', 'a.wav', 'sub/b.wav']);
    expect(textsIn(join(folder, 'in'))).toEqual({
      'a.txt': 'Recording 31.\n',
      'a.wav.txt': 'Recording 33.\n',
      'sub/b.txt': 'Recording 32.\n',
    });
    watching.process.kill('SIGINT');
    expect((await watching.ended).code).toBe(130);
  });

  test('waits until a text can be written', async () => {
    const folder = folderWith({ 'in/a.wav': 34 });
    writeFileSync(join(folder, 'texts'), 'in the way of the folder');
    const watching = start([join(folder, 'in'), '--watch', '--output', join(folder, 'texts')], { DATA_DIR: server.dataDir });
    await eventually(() => watching.log().includes('cannot be written'));
    rmSync(join(folder, 'texts'));
    await eventually(() => existsSync(join(folder, 'texts/a.txt')));
    expect(heard()).toEqual({ 34: 1 });
  });

  test('writes under another name if a file has come under the first one while it was not running', async () => {
    const folder = folderWith({ 'in/a.wav': 64 });
    let isFree = false;
    speech.always(async ({ file }) => {
      await eventually(() => isFree);
      return hearing(file?.bytes ?? Buffer.alloc(0));
    });
    const first = watch(folder, server.dataDir);
    await eventually(() => speech.calls.length === 1);
    first.process.kill('SIGKILL');
    await first.ended;
    writeFileSync(join(folder, 'in/a.txt'), 'of another program');
    isFree = true;
    const second = watch(folder, server.dataDir);
    await eventually(() => filesIn(join(folder, 'done')).length === 1);
    expect(textsIn(join(folder, 'in'))).toEqual({ 'a.txt': 'of another program', 'a.wav.txt': 'Recording 64.\n' });
    expect(heard()).toEqual({ 64: 1 });
    second.process.kill('SIGTERM');
    await second.ended;
  });

  test('writes only the files that are missing, under the name of the others', async () => {
    const folder = folderWith({ 'talk.wav': 65 });
    const words = [folder, '--watch', '--format', 'txt,srt'];
    const first = start(words, { DATA_DIR: server.dataDir });
    await eventually(() => first.log().includes('talk.wav: done'));
    first.process.kill('SIGTERM');
    await first.ended;
    writeFileSync(join(folder, 'talk.txt'), 'corrected by hand');
    rmSync(join(folder, 'talk.srt'));
    const second = start(words, { DATA_DIR: server.dataDir });
    await eventually(() => second.log().includes('talk.wav: done'));
    second.process.kill('SIGTERM');
    await second.ended;
    expect(readdirSync(folder).sort()).toEqual(['talk.srt', 'talk.txt', 'talk.wav']);
    expect(textsIn(folder)).toEqual({ 'talk.txt': 'corrected by hand' });
  });

  test('takes each recording once, although it and the server are killed repeatedly', async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'in'));
    const dataDir = join(folder, 'data');
    let running = await startServer({ dataDir, environment: engines() });
    let watching = watch(folder, dataDir);
    const numbers = Array.from({ length: 6 }, (_, n) => 41 + n);
    for (const [n, number] of numbers.entries()) {
      put(folder, `in/r${number}.wav`, number);
      await eventually(() => speech.calls.length > n / 2);
      if (n === 1 || n === 3) {
        watching.process.kill('SIGKILL');
        await watching.ended;
        watching = watch(folder, dataDir);
      }
      if (n === 3 || n === 4) {
        await running.kill();
        running = await startServer({ dataDir, environment: engines() });
      }
    }
    await eventually(() => filesIn(join(folder, 'done')).length === numbers.length, 60_000);
    watching.process.kill('SIGTERM');
    expect((await watching.ended).code).toBe(143);
    expect(filesIn(join(folder, 'in'))).toEqual([]);
    expect(textsIn(join(folder, 'in'))).toEqual(Object.fromEntries(numbers.map((n) => [`r${n}.txt`, `Recording ${n}.\n`])));
    expect(heard()).toEqual(Object.fromEntries(numbers.map((n) => [n, 1])));
  }, 180_000);
});
