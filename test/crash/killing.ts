import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Launched } from '../e2e/launch.ts';

/** A moment in a process's work: a system call that it never completes. */
export interface KillPoint {
  readonly name: string;
  readonly calls: string;
  /** No path: the call on any file. */
  readonly file?: string;
  /** Number of these calls, per thread, that are allowed first. */
  readonly within: number;
}

/** Whether a tracer can attach to and stop a process here. */
export const canTrace = (): boolean => spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** If the point is not reached in this time, the process is killed where it is. */
const PATIENCE_MILLISECONDS = 6_000;

/**
 * Makes a running process die at the point. Resolves when all its threads are traced; the tracer ends with it. Every system call is stopped
 * meanwhile: with a filter in the kernel (`--seccomp-bpf`) strace 6.1 sends no signals.
 */
export const killAt = async ({ calls, file, within }: KillPoint, pid: number): Promise<void> => {
  const times = 1 + Math.floor(Math.random() * within);
  const what = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${times}`, ...(file ? ['-P', file] : [])];
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', '-p', String(pid), ...what], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'exit');
  // It reports that it has attached.
  await Promise.race([once(tracer.stderr, 'data'), ended]);
  tracer.stderr.resume();
};

/** How a process died: at the system call of its point, because it did not reach that in time, or at a random moment. */
export type Death = 'at its point' | 'on the way to its point' | 'at a random moment';

/** Kills the process, or makes it die at its point; with `null` at a random moment in a range of milliseconds. Resolves when it has ended. */
export const untilKilled = async (
  { process, kill }: Pick<Launched, 'process' | 'kill'>,
  point: KillPoint | null,
  [from, to]: readonly [number, number],
): Promise<Death> => {
  const exited = process.exitCode === null && process.signalCode === null ? once(process, 'exit') : null;
  const moment = wait(point ? PATIENCE_MILLISECONDS : from + Math.random() * (to - from));
  const diedFirst = await Promise.race([(exited ?? Promise.resolve()).then(() => true), moment.then(() => false)]);
  await kill();
  if (!point) return 'at a random moment';
  return diedFirst ? 'at its point' : 'on the way to its point';
};
