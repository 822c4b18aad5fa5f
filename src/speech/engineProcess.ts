import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { LineTooLong, linesOf } from '../lines.ts';

/** How an engine ended. `complaint` is the tail of its stderr, for the operator's log, never for callers. */
export interface EngineExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly complaint: string;
}

/**
 * An engine outside the process, with memory and crashes of its own. It leads a process group; the whole group is killed when the signal aborts,
 * when it prints a line longer than `MAX_LINE`, and when its leader has ended.
 */
export interface EngineProcess {
  /** `undefined` if it could not be started. */
  readonly pid: number | undefined;
  /** Lines of its stdout, without line ends. Applies back-pressure: an engine waits until its lines are read. Throws `InvalidEngineOutput`. */
  readonly lines: AsyncIterable<string>;
  /** Its raw stdout. Read either this or `lines`. */
  readonly stdout: AsyncIterable<Buffer>;
  /** Never rejects: an engine that could not be started ends with code 127. */
  readonly exit: Promise<EngineExit>;
  /** Writes to stdin, if started with `stdin: true`. Resolves when the data are accepted; with false if stdin is closed. */
  write(data: Uint8Array): Promise<boolean>;
  /** Ends its stdin. */
  end(): void;
  kill(): void;
  /** Whether the engine keeps the server running: an idle one must not. */
  holdOpen(hold: boolean): void;
}

export class InvalidEngineOutput extends Error {
  override readonly name = 'InvalidEngineOutput';
}

const MAX_LINE = 65_536;
const MAX_COMPLAINT = 4_096;

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
};

const holdOpen = (child: ChildProcess, hold: boolean): void => {
  const handles = [child, ...child.stdio].filter((handle) => handle !== null && handle !== undefined);
  for (const handle of handles) {
    // Pipes of a child process are sockets, though their types do not say so.
    if ('ref' in handle && typeof handle.ref === 'function' && 'unref' in handle && typeof handle.unref === 'function') {
      if (hold) handle.ref();
      else handle.unref();
    }
  }
};

async function* boundedLines(stdout: AsyncIterable<Buffer>, kill: () => void): AsyncGenerator<string> {
  try {
    yield* linesOf(stdout, MAX_LINE);
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    kill();
    throw new InvalidEngineOutput('a line without end');
  }
}

/** Starts an engine. It gets PATH and a plain locale, but none of the server's settings, which contain secrets. */
export const startEngine = (command: string, args: readonly string[], signal: AbortSignal, { stdin = false } = {}): EngineProcess => {
  const options = { detached: true, env: { PATH: process.env.PATH, LANG: 'C.UTF-8' } };
  const child: ChildProcessByStdio<Writable | null, Readable, Readable> = stdin
    ? spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => killGroup(child.pid);
  let complaint = '';
  // Without a listener Node drops a child's output as soon as it ends; the reader may start later.
  child.stdout.on('readable', () => {});
  // An ended engine accepts no more data: its exit gives the reason.
  child.stdin?.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-MAX_COMPLAINT);
  });
  const exit = new Promise<EngineExit>((resolve) => {
    const end = (code: number | null, by: NodeJS.Signals | null) => {
      signal.removeEventListener('abort', kill);
      resolve({ code, signal: by, complaint });
    };
    child.once('error', (error) => {
      complaint += error.message;
      end(127, null);
    });
    child.once('exit', (code, by) => {
      kill();
      end(code, by);
    });
  });
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const write = (data: Uint8Array): Promise<boolean> =>
    new Promise((resolve) => {
      if (child.stdin) child.stdin.write(data, (error) => resolve(!error));
      else resolve(false);
    });
  const { pid, stdout } = child;
  return {
    pid,
    stdout,
    lines: boundedLines(stdout, kill),
    exit,
    write,
    end: () => void child.stdin?.end(),
    kill,
    holdOpen: (hold) => holdOpen(child, hold),
  };
};

/** Full path of the first executable command: in PATH, or itself if it is a path; `null` if there is none. */
export const findCommand = async (...names: readonly string[]): Promise<string | null> => {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))));
  for (const candidate of candidates) {
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return null;
};
