import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { pythonOfTests, run } from '../python/venv.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { type LiveRig, startLiveRig } from './liveRig.ts';
import { HEARD, TEXT, wav } from './speechStub.ts';

const guide = readFileSync('docs/guides/openai.md', 'utf8');
const blocks = (language: string): string[] =>
  [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, name, code = '']) => (name === language ? code : []));
const python = pythonOfTests();

describe('the examples of the guide', () => {
  let engine: StubEngine;
  let server: RunningServer;
  let rig: LiveRig;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    engine = await startStubEngine();
    engine.always({ body: HEARD });
    server = await startServer({ environment: { TRANSCRIBER_URL: engine.url } });
    rig = await startLiveRig();
    env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: ADMIN_KEY };
  });
  afterAll(async () => {
    await Promise.all([server.kill(), engine.close(), rig.stop()]);
  });

  const inFolder = (): string => {
    folder = temporaryDirectory();
    writeFileSync(join(folder, 'hello.wav'), wav());
    writeFileSync(join(folder, 'speech.pcm'), Buffer.alloc(24_000, Buffer.from([0xa0, 0x0f])));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    return folder;
  };

  test.skipIf(python === null)('in Python print the text', { timeout: 30_000 }, async () => {
    const ran = await run(python ?? '', ['-c', blocks('python')[0] ?? ''], { cwd: inFolder(), env });
    expect(ran).toEqual({ code: 0, output: `${TEXT}\n` });
  });

  test.skipIf(python === null)('in Python print the text heard in a realtime session', { timeout: 30_000 }, async () => {
    const ran = await run(python ?? '', ['-c', blocks('python')[1] ?? ''], {
      cwd: inFolder(),
      env: { ...env, OPENAI_BASE_URL: `${rig.url}/v1` },
    });
    expect(ran).toEqual({ code: 0, output: 'Word 1.\n' });
  });

  test('in Node print the text as it arrives', async () => {
    const ran = await run(process.execPath, ['--input-type=module', '-e', blocks('js')[0] ?? ''], { cwd: inFolder(), env });
    expect(ran).toEqual({ code: 0, output: TEXT });
  });

  test('with curl print captions', async () => {
    const { code, output } = await run('bash', ['-c', blocks('bash')[0] ?? ''], { cwd: inFolder(), env });
    expect(code, output).toBe(0);
    expect(output).toContain('00:00:00,000 --> 00:00:01,500\nHello there.\n');
  });
});
