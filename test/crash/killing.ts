import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Launched } from '../e2e/launch.ts';

/** A moment in a process's work, as the system call that it never gets to make. */
export interface KillPoint {
  readonly name: string;
  readonly calls: string;
  /** None: whatever the call is on. */
  readonly file?: string;
  /** At most so many of these calls, of each thread, are let through first. */
  readonly within: number;
}

/** Whether a process can be stopped here by a tracer that comes to it. */
export const canTrace = (): boolean => spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** A point that is not come to in this time was not on the way: the process is killed where it is. */
const PATIENCE_MILLISECONDS = 6_000;

/**
 * Has a process that runs die when it comes to the point. Resolves when all its threads are watched; the tracer ends with it. Every system call is
 * stopped at meanwhile: with a filter in the kernel (`--seccomp-bpf`) strace 6.1 sends no signals.
 */
export const killAt = async ({ calls, file, within }: KillPoint, pid: number): Promise<void> => {
  const times = 1 + Math.floor(Math.random() * within);
  const what = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${times}`, ...(file ? ['-P', file] : [])];
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', '-p', String(pid), ...what], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'exit');
  // It says so when it has attached.
  await Promise.race([once(tracer.stderr, 'data'), ended]);
  tracer.stderr.resume();
};

/** How a process died: at the system call of its point, because it did not come to that in time, or at a random moment. */
export type Death = 'at its point' | 'on the way to its point' | 'at a random moment';

/** Kills the process, or has it kill itself at its point; with `null` at a random moment between so many milliseconds. Resolves when it is gone. */
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
