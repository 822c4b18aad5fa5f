import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';

const MAX_OUTPUT = 64 * 1024 ** 2;

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `docker`, and reports its exit code. */
export const tryDocker = async (words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Said> =>
  promisify(execFile)('docker', words, { env: { ...process.env, DOCKER_BUILDKIT: '1', ...environment }, maxBuffer: MAX_OUTPUT }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }: Said) => ({ code, stdout, stderr }),
  );

/** Runs `docker`; rejects with its output if it fails. */
export const docker = async (words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Said> => {
  const said = await tryDocker(words, environment);
  if (said.code !== 0) throw new Error(`docker ${words.join(' ')} ended with ${said.code}:\n${said.stdout}\n${said.stderr}`);
  return said;
};

/** A name of a container, volume or project that no other run uses. */
export const newName = (): string => `test-${randomUUID().slice(0, 8)}`;

/** The name of a new volume, which is removed after the test. */
export const newVolume = async (): Promise<string> => {
  const name = newName();
  await docker(['volume', 'create', name]);
  onTestFinished(async () => void (await docker(['volume', 'rm', '-f', name])));
  return name;
};

export interface Container {
  readonly name: string;
  /** `http://127.0.0.1:<port>`: its port 8080 on this machine. */
  url(): Promise<string>;
  /** Everything that it has printed. */
  log(): Promise<string>;
  exec(...words: string[]): Promise<Said>;
}

/** Starts a container of the image, which is removed after the test. */
export const runContainer = async (...options: string[]): Promise<Container> => {
  const name = newName();
  await docker(['run', '-d', '--name', name, '-p', '127.0.0.1::8080', '--init', ...options, 'tributary']);
  onTestFinished(async () => void (await docker(['rm', '-f', name])));
  return {
    name,
    url: async () => `http://${(await docker(['port', name, '8080'])).stdout.trim()}`,
    log: async () => {
      const { stdout, stderr } = await docker(['logs', name]);
      return stdout + stderr;
    },
    exec: (...words) => docker(['exec', name, ...words]),
  };
};

/** Resolves when its health check has succeeded; rejects if it has ended. */
export const healthy = async (name: string): Promise<void> => {
  await eventually(async () => {
    const { stdout } = await docker(['inspect', '-f', '{{.State.Status}} {{.State.Health.Status}}', name]);
    if (stdout.startsWith('exited')) return true;
    return stdout.trim() === 'running healthy';
  }, 60_000);
  const { stdout } = await docker(['inspect', '-f', '{{.State.Status}}', name]);
  if (stdout.trim() !== 'running') throw new Error(`${name} has ended: ${JSON.stringify(await docker(['logs', name]))}`);
};

const FLITE = ['-v', 'error', '-f', 'lavfi', '-i', "flite=text='hello world. this is a test.':voice=slt", '-ar', '16000', '-f', 'wav', '-'];

/** A recording of "hello world", made in the image, which has ffmpeg. */
export const spoken = (): Buffer => execFileSync('docker', ['run', '--rm', '--entrypoint', 'ffmpeg', 'tributary', ...FLITE]);
