import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { totalBytes } from '../../src/speech/models/installedModel.ts';
import { publishedModel } from '../../src/speech/models/publishedModels.ts';
import { call, PING_TEMPLATE, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';
import { freePort } from '../freePort.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { type Container, docker, healthy, newName, newVolume, runContainer, spoken, tryDocker } from './docker.ts';

const KEY = ['-e', `BOOTSTRAP_API_KEY=${ADMIN_KEY}`];
/** As docker-compose.yml runs it. */
const LOCKED_DOWN = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** Uploads the recording, and returns the address of its transcript, which is answered when the stream has ended. */
const transcribe = async (url: string, key: string = ADMIN_KEY): Promise<string> => {
  const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
  const { body } = await upload(url, query, spoken(), { key });
  return `/export-service/api/v1/export/TEXT?streams=${body.streamId}`;
};

const HEARD = /hello/i;

const textAt = async (url: string, path: string, key: string = ADMIN_KEY): Promise<string> => (await call(url, path, { key })).text;

const healthyUrl = async (container: Container): Promise<string> => {
  await healthy(container.name);
  return container.url();
};

const sizeOf = async (image: string): Promise<number> => Number((await docker(['image', 'inspect', '-f', '{{.Size}}', image])).stdout);

/** The health check as the image has it. */
const check = async (): Promise<string[]> =>
  JSON.parse((await docker(['image', 'inspect', '-f', '{{json .Config.Healthcheck.Test}}', 'tributary'])).stdout).slice(1);

describe.skipIf(process.env.TEST_DOCKER !== 'yes')('the image (needs a Docker engine)', () => {
  test('takes at most 1.2 GB with the default model, and 350 MB without speech engines', async () => {
    const [whole, slim] = [await sizeOf('tributary'), await sizeOf('tributary:slim')];
    console.log(`tributary: ${Math.round(whole / 1e6)} MB without a model, tributary:slim: ${Math.round(slim / 1e6)} MB`);
    expect(whole + totalBytes(publishedModel('base')?.files ?? [])).toBeLessThan(1.2e9);
    expect(slim).toBeLessThan(350e6);
  });

  test('shows the demonstration with docker run --rm', async () => {
    const { stdout, stderr } = await docker(['run', '--rm', 'tributary', 'demo']);
    expect(stdout + stderr).toMatch(/COMPLETED/);
    expect(stdout + stderr).toContain('tributary --help');
    expect(stdout + stderr).not.toContain('npx');
  });

  test('transcribes with a read-only root and .env.example as its --env-file, and keeps its data over a restart and in a backup', async () => {
    const [data, backups, restored] = [await newVolume(), await newVolume(), await newVolume()];
    const volumes = ['-v', `${data}:/data`, '-v', `${backups}:/backups`];
    const container = await runContainer(...LOCKED_DOWN, '--env-file', '.env.example', ...volumes, ...KEY);
    const url = await healthyUrl(container);
    const transcript = await transcribe(url);
    expect(await textAt(url, transcript)).toMatch(HEARD);

    await docker(['stop', '--time', '20', container.name]);
    expect((await docker(['inspect', '-f', '{{.State.ExitCode}}', container.name])).stdout.trim()).toBe('0');
    const log = await container.log();
    expect(log).toContain('"url":"http://localhost:8080"');
    expect(log).not.toContain('/health/');

    await docker(['start', container.name]);
    expect(await textAt(await healthyUrl(container), transcript)).toMatch(HEARD);

    await container.exec('tributary', 'backup', '/backups/first', '--with-master-key');
    await docker(['run', '--rm', '-v', `${restored}:/data`, '-v', `${backups}:/backups:ro`, 'tributary', 'restore', '/backups/first']);
    const again = await runContainer(...LOCKED_DOWN, '-v', `${restored}:/data`, ...KEY);
    expect(await textAt(await healthyUrl(again), transcript)).toMatch(HEARD);
  });

  test('runs as another user on a directory of that user', async () => {
    const directory = temporaryDirectory();
    execFileSync('chown', ['1234:1234', directory]);
    const container = await runContainer(...LOCKED_DOWN, '--user', '1234:1234', '-v', `${directory}:/data`, ...KEY);
    const url = await healthyUrl(container);
    const { body } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
    expect((await streamEnd(url, body.streamId)).state).toBe('COMPLETED');
  });

  test('names the user and the command if its directory was made by Docker as root', async () => {
    const directory = join(temporaryDirectory(), 'missing');
    const { code, stderr } = await tryDocker(['run', '--rm', '-v', `${directory}:/data`, 'tributary']);
    expect(code).toBe(1);
    expect(stderr).toContain('chown -R 1000:1000 /data');
  });

  test('leaves no anonymous volumes behind', async () => {
    const before = (await docker(['volume', 'ls', '-q'])).stdout;
    const container = await runContainer();
    await healthy(container.name);
    expect((await docker(['volume', 'ls', '-q'])).stdout).toBe(before);
  });

  test('is unhealthy where nothing answers, and says why where the server is not ready', async () => {
    const container = await runContainer('-e', 'ROLES=http', ...KEY);
    const words = await check();
    const probe = (port: string) => tryDocker(['exec', '-e', `PORT=${port}`, container.name, ...words]);
    expect(await probe('9')).toMatchObject({ code: 1 });
    await expect.poll(() => probe('8080')).toMatchObject({ code: 1, stdout: expect.stringContaining('Read models are being built') });
  });
});

describe.skipIf(process.env.TEST_DOCKER !== 'yes')('docker-compose.yml (needs a Docker engine)', () => {
  test('starts with one command and no errors, shows its administrator, transcribes, and keeps its data over another up', async () => {
    const project = newName();
    const port = String(await freePort());
    const compose = (...words: string[]) => docker(['compose', '-p', project, ...words], { PORT: port });
    onTestFinished(async () => void (await compose('down', '-v')));
    const began = performance.now();
    const { stderr } = await compose('up', '-d', '--wait');
    console.log(`docker compose up -d --wait: ${Math.round((performance.now() - began) / 1_000)} s`);
    expect(stderr).not.toMatch(/error|denied/i);
    const url = `http://127.0.0.1:${port}`;
    const log = (await compose('logs', 'tributary')).stdout;
    expect(log).toContain(`"url":"http://localhost:${port}"`);
    const key = /API key\s+(\S+)/.exec(log)?.[1] ?? '';
    const transcript = await transcribe(url, key);
    expect(await textAt(url, transcript, key)).toMatch(HEARD);
    await compose('up', '-d', '--wait', '--force-recreate');
    expect(await textAt(url, transcript, key)).toMatch(HEARD);
  });

  test('gives Tributary the language model of the profile llm', async () => {
    const llm = async (environment: NodeJS.ProcessEnv) => {
      const { stdout } = await docker(['compose', 'config', '--format', 'json'], environment);
      const { LLM_URL, LLM_MODEL } = JSON.parse(stdout).services.tributary.environment;
      return [LLM_URL, LLM_MODEL];
    };
    expect(await llm({})).toEqual(['', '']);
    expect(await llm({ COMPOSE_PROFILES: 'llm' })).toEqual(['http://ollama:11434', 'llama3.2:3b']);
  });
});
