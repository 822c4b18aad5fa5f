import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTcpProxy } from '../fakes/tcpProxy.ts';
import { pythonOfTests } from '../python/venv.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { PING_TEMPLATE, streamEnd } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

const BYTES = 4_000_000;
const python = pythonOfTests();

/** Unmodified clients, each as a program that can be killed. */
const CLIENTS = [
  { name: 'tus-js-client', isHere: true, command: process.execPath, script: 'test/e2e/tusClients/tusJsClient.mjs' },
  { name: 'tuspy', isHere: python !== null, command: python ?? '', script: 'test/e2e/tusClients/tuspyUpload.py' },
];

const prepared = () => {
  const folder = temporaryDirectory();
  const bytes = randomBytes(BYTES);
  const file = join(folder, 'talk.wav');
  writeFileSync(file, bytes);
  return { folder, bytes, file };
};

type Prepared = ReturnType<typeof prepared>;

/** Starts a client. `at`: resolves with the rest of the line that begins with this word. */
const start = ({ command, script }: (typeof CLIENTS)[number], url: string, { file, folder }: Prepared, stopAt = 0) => {
  const child: ChildProcess = spawn(command, [script, url, ADMIN_KEY, file, PING_TEMPLATE, folder, String(stopAt)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [lines, listeners]: [string[], Set<() => void>] = [[], new Set()];
  let errors = '';
  child.stderr?.on('data', (piece) => {
    errors += piece;
  });
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      for (const tell of listeners) tell();
    });
  const at = (word: string, least = 0) =>
    new Promise<string>((resolve, reject) => {
      const look = (): void => {
        const found = lines.map((line) => line.split(' ')).find(([said, value]) => said === word && (Number(value) || least) >= least);
        if (found) resolve(found[1] ?? '');
      };
      listeners.add(look);
      look();
      child.once('exit', (code) => reject(new Error(`the client ended with ${code}: ${lines.join(', ')} ${errors}`)));
    });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { at, kill, lines };
};

const portOf = (url: string): number => Number(new URL(url).port);

const sourceOf = async (url: string, streamId: string): Promise<Buffer> => {
  const answer = await fetch(`${url}/stream-service/api/v1/streams/${streamId}/data-source`, {
    headers: { authorization: `Basic ${ADMIN_KEY}` },
  });
  return Buffer.from(await answer.arrayBuffer());
};

describe.each(CLIENTS)('$name, unmodified', ({ isHere, ...client }) => {
  const one = { ...client, isHere };
  let server: RunningServer;
  beforeAll(async () => {
    if (isHere) server = await startServer();
  });
  afterAll(() => server?.kill());

  test.skipIf(!isHere)('continues after it was killed', async () => {
    const { url } = server;
    const upload = prepared();
    const first = start(one, url, upload, 1_000_000);
    await first.at('accepted', 1_000_000);
    await first.kill();
    expect(first.lines[0]).toBe('begins');
    const second = start(one, url, upload);
    const streamId = await second.at('done');
    expect(second.lines.slice(0, 2)).toEqual(['continues', expect.stringMatching(/^accepted 1[1-9]\d{5}$/)]);
    expect((await streamEnd(url, streamId)).state).toBe('COMPLETED');
    expect((await sourceOf(url, streamId)).equals(upload.bytes)).toBe(true);
  });

  test.skipIf(!isHere)('continues by itself after the server was killed', async () => {
    const target = { port: portOf(server.url) };
    const proxy = await openTcpProxy(target);
    onTestFinished(() => proxy.close());
    const upload = prepared();
    const client = start(one, `http://127.0.0.1:${proxy.port}`, upload);
    await client.at('accepted', 500_000);
    await proxy.become('refuse');
    await server.kill();
    const { url } = await startServer({ dataDir: server.dataDir });
    target.port = portOf(url);
    await proxy.become('pass');
    const streamId = await client.at('done');
    expect((await sourceOf(url, streamId)).equals(upload.bytes)).toBe(true);
  });
});
