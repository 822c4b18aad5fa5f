import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Launched } from '../e2e/launch.ts';

/** A moment in a process's work, as the system call that it never gets to make. */
export interface KillPoint {
  readonly name: string;
  readonly calls: string;
  /** Below the data directory; none: whatever the call is on. */
  readonly file?: string;
  /** At most so many of these calls are let through first. */
  readonly within: number;
}

/** Whether processes can be started under a tracer here, or stopped by one that comes later. */
export const canTrace = (): boolean => spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0;

/** A point that is not come to in this time was not on the way: the process is killed where it is. */
const PATIENCE_MILLISECONDS = 6_000;

const injection = ({ calls, within }: KillPoint): string[] => {
  const times = 1 + Math.floor(Math.random() * within);
  return ['-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${times}`];
};

/** The words to start a process with that dies at the point. */
export const strace = (point: KillPoint, dataDir: string): string[] => {
  const on = point.file ? ['-P', join(dataDir, point.file)] : [];
  return ['strace', '-D', '-f', '--seccomp-bpf', ...on, ...injection(point)];
};

/** Has a process that runs die when it comes to the point. Resolves when all its threads are watched; the tracer ends with it. */
export const killAt = async (point: KillPoint, pid: number): Promise<void> => {
  const tracer = spawn('strace', ['-f', '-p', String(pid), ...injection(point)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'exit');
  // It says so when it has attached.
  await Promise.race([once(tracer.stderr, 'data'), ended]);
  tracer.stderr.resume();
};

/** Resolves when the process is gone: by its point, by patience with it, or (`null`) at a random moment between so many milliseconds. */
export const untilKilled = async (
  { process, kill }: Pick<Launched, 'process' | 'kill'>,
  point: KillPoint | null,
  [from, to]: readonly [number, number],
): Promise<void> => {
  const exited = process.exitCode === null && process.signalCode === null ? once(process, 'exit') : null;
  const moment = wait(point ? PATIENCE_MILLISECONDS : from + Math.random() * (to - from));
  await Promise.race([exited ?? Promise.resolve(), moment]);
  await kill();
};
