import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { ensureBaseImage } from './baseImages.ts';

const answers = (): boolean => spawnSync('docker', ['version'], { stdio: 'ignore' }).status === 0;

/**
 * A Docker engine with the image for all tests of the run: the one that `docker` reaches, or, as root, Debian's `dockerd` on a socket of its own.
 * `TEST_DOCKER` says that there is one.
 */
export default async function start(): Promise<() => Promise<void>> {
  const own = answers() ? null : await startEngine();
  const stop = async (): Promise<void> => own?.stop();
  try {
    if (!answers() || !ensureBaseImage()) {
      if (process.env.CI === 'true') throw new Error('CI needs a Docker engine: .ci/docker.sh');
      console.log('skipped: needs a Docker engine');
      return stop;
    }
    // Without the Whisper model, whose size the test adds: most machines of tests do not reach the hub.
    for (const [name, ...options] of [
      ['tributary', '--build-arg', 'SPEECH_MODEL=none'],
      ['tributary:slim', '--target', 'slim'],
    ] as const)
      timed(`docker build -t ${name}`, () => build(name, options));
    process.env.TEST_DOCKER = 'yes';
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The network of this machine: an engine of our own does not connect its containers to the outside. */
const build = (name: string, options: readonly string[]): void =>
  void execFileSync('docker', ['build', '-q', '--network', 'host', '-t', name, ...options, '.'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  });

const timed = (what: string, work: () => void): void => {
  const began = performance.now();
  work();
  console.log(`${what}: ${Math.round((performance.now() - began) / 1_000)} s`);
};

/** `null` where `dockerd` is not installed, or may not run. */
const startEngine = async (): Promise<{ stop(): Promise<void> } | null> => {
  if (process.getuid?.() !== 0 || spawnSync('dockerd', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const directory = mkdtempSync(join(tmpdir(), 'tributary-docker-'));
  const socket = `unix://${directory}/docker.sock`;
  const log = openSync(join(directory, 'log'), 'w');
  const child = spawn(
    // It ends with this process.
    'setpriv',
    [
      ...['--pdeathsig', 'TERM', 'dockerd', '-H', socket, '--data-root', `${directory}/data`, '--exec-root', `${directory}/run`],
      ...['--pidfile', `${directory}/pid`],
      // Containers reach each other and this machine only. Of the machine's network nothing is changed, but the bridge docker0 stays.
      ...['--iptables=false', '--ip6tables=false', '--ip-masq=false', '--ip-forward=false'],
    ],
    { stdio: ['ignore', log, log] },
  );
  process.env.DOCKER_HOST = socket;
  const stop = () => stopEngine(child, directory);
  await eventually(answers).catch(async (error) => {
    await stop();
    throw error;
  });
  return { stop };
};

const stopEngine = async (child: ChildProcess, directory: string): Promise<void> => {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  execFileSync('rm', ['-rf', directory]);
};
